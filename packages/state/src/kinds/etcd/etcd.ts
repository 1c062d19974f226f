import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, ip, list, mapOf, text, unlessEmpty } from '../../spec/field-types.ts';
import { argValues } from '../k8s/arg-values.ts';

/** Configuration of etcd. */
export const etcdConfigs = defineKind({
  type: 'EtcdConfigs.etcd.talos.dev',
  defaultNamespace: 'etcd',
  singleton: 'etcd',
  printColumns: {
    Image: '{.image}',
  },
  spec: {
    /** CIDR subnets. */
    advertiseValidSubnets: unlessEmpty(1, list(text)),
    /** CIDR subnets; virtual IPs are added. */
    advertiseExcludeSubnets: field(2, list(text)),
    /** CIDR subnets. */
    listenValidSubnets: unlessEmpty(5, list(text)),
    /** CIDR subnets. */
    listenExcludeSubnets: field(6, list(text)),
    image: field(3, text),
    /** Values by flag name. */
    extraArgs: field(7, mapOf(argValues)),
  },
});
export type EtcdConfigSpec = SpecOf<typeof etcdConfigs>;

/** Whether the certificates of etcd are written. */
export const pkiStatuses = defineKind({
  type: 'PKIStatuses.etcd.talos.dev',
  defaultNamespace: 'etcd',
  singleton: 'etcd',
  printColumns: {
    Ready: '{.ready}',
    'Secrets Version': '{.version}',
  },
  spec: {
    /** The certificates are written to disk. */
    ready: field(1, bool),
    /** Version of the EtcdSecrets resource that was written. */
    version: field(2, text),
  },
});
export type PkiStatusSpec = SpecOf<typeof pkiStatuses>;

/** Parameters with which etcd is started. */
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
    /** Name of the etcd member, which is the host name. */
    name: field(1, text),
    advertisedAddresses: field(2, list(ip)),
    listenPeerAddresses: field(5, list(ip)),
    listenClientAddresses: field(6, list(ip)),
    image: field(3, text),
    extraArgs: field(7, mapOf(argValues)),
  },
});
export type EtcdSpecSpec = SpecOf<typeof etcdSpecs>;

/** The etcd member ID of this node. */
export const etcdMembers = defineKind({
  type: 'EtcdMembers.etcd.talos.dev',
  defaultNamespace: 'etcd',
  singleton: 'local',
  printColumns: {
    'Member ID': '{.memberID}',
  },
  spec: {
    /** 16 lower-case hexadecimal digits. */
    memberID: field(1, text),
  },
});
export type EtcdMemberSpec = SpecOf<typeof etcdMembers>;
