import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import {
  field,
  int,
  ip,
  list,
  message,
  optional,
  text,
  unlessEmpty,
  type ValueOf,
} from '../../spec/field-types.ts';
import { machineType } from '../machine-type.ts';

export const controlPlane = message({
  /** Port of the Kubernetes API server. */
  port: field(1, int),
});
export type ControlPlaneSpec = ValueOf<typeof controlPlane>;

/** The ID of this node, stored on the STATE volume. */
export const identities = defineKind({
  type: 'Identities.cluster.talos.dev',
  defaultNamespace: 'cluster',
  singleton: 'local',
  printColumns: {
    ID: '{.nodeId}',
  },
  spec: {
    /** 32 random bytes in base 62. */
    nodeId: field(1, text),
  },
});
export type IdentitySpec = SpecOf<typeof identities>;

/** ID and name of the cluster of this node. */
export const infos = defineKind({
  type: 'Infos.cluster.talos.dev',
  defaultNamespace: 'cluster',
  singleton: 'current',
  printColumns: {
    'Cluster ID': '{.clusterId}',
    'Cluster Name': '{.clusterName}',
  },
  spec: {
    clusterId: field(1, text),
    clusterName: field(2, text),
  },
});
export type InfoSpec = SpecOf<typeof infos>;

/** The members of the cluster, by node name. */
export const members = defineKind({
  type: 'Members.cluster.talos.dev',
  defaultNamespace: 'cluster',
  printColumns: {
    Hostname: '{.hostname}',
    'Machine Type': '{.machineType}',
    OS: '{.operatingSystem}',
    Addresses: '{.addresses}',
  },
  spec: {
    nodeId: field(1, text),
    addresses: field(2, list(ip)),
    hostname: field(3, text),
    machineType: field(4, machineType),
    /** `Talos (<version>)`. */
    operatingSystem: field(5, text),
    /** Set only for control planes. */
    controlPlane: unlessEmpty(6, optional(controlPlane)),
  },
});
export type MemberSpec = SpecOf<typeof members>;
