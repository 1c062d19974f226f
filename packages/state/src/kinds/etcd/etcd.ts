import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, ip, list, mapOf, text, unlessEmpty } from '../../spec/field-types.ts';
import { argValues } from '../k8s/arg-values.ts';

/** How etcd is configured. */
export const etcdConfigs = defineKind({
  type: 'EtcdConfigs.etcd.talos.dev',
  defaultNamespace: 'etcd',
  singleton: 'etcd',
  printColumns: {
    Image: '{.image}',
  },
  spec: {
    /** Networks with their prefix lengths. */
    advertiseValidSubnets: unlessEmpty(1, list(text)),
    /** Networks; shared addresses are added. */
    advertiseExcludeSubnets: field(2, list(text)),
    /** Networks with their prefix lengths. */
    listenValidSubnets: unlessEmpty(5, list(text)),
    /** Networks with their prefix lengths. */
    listenExcludeSubnets: field(6, list(text)),
    image: field(3, text),
    /** Flag → values. */
    extraArgs: field(7, mapOf(argValues)),
  },
});
export type EtcdConfigSpec = SpecOf<typeof etcdConfigs>;

/** Whether certificates of etcd are written. */
export const pkiStatuses = defineKind({
  type: 'PKIStatuses.etcd.talos.dev',
  defaultNamespace: 'etcd',
  singleton: 'etcd',
  printColumns: {
    Ready: '{.ready}',
    'Secrets Version': '{.version}',
  },
  spec: {
    /** Certs written to disk. */
    ready: field(1, bool),
    /** Version of EtcdSecrets rendered. */
    version: field(2, text),
  },
});
export type PkiStatusSpec = SpecOf<typeof pkiStatuses>;

/** With what etcd is started. */
export const etcdSpecs = defineKind({
  type: 'EtcdSpecs.etcd.talos.dev',
  defaultNamespace: 'etcd',
  singleton: 'etcd',
  printColumns: {
    Name: '{.name}',
    AdvertisedAddresses: '{.advertisedAddresses}',
    ListenPeerAddresses: '{.listenPeerAddresses}',
    ListenClientAddresses: '{.listenClientAddresses}',
  },
  spec: {
    /** Etcd member name = hostname. */
    name: field(1, text),
    advertisedAddresses: field(2, list(ip)),
    listenPeerAddresses: field(5, list(ip)),
    listenClientAddresses: field(6, list(ip)),
    image: field(3, text),
    extraArgs: field(7, mapOf(argValues)),
  },
});
export type EtcdSpecSpec = SpecOf<typeof etcdSpecs>;

/** The id of this member. */
export const etcdMembers = defineKind({
  type: 'EtcdMembers.etcd.talos.dev',
  defaultNamespace: 'etcd',
  singleton: 'local',
  printColumns: {
    'Member ID': '{.memberID}',
  },
  spec: {
    /** 16 lower-case hex digits. */
    memberID: field(1, text),
  },
});
export type EtcdMemberSpec = SpecOf<typeof etcdMembers>;
