// The kinds of resources of a node, as far as nodes have them. Source: Talos v1.14: COSI resources.
import type { ResourceKind } from '../meta/define-kind.ts';
import { members } from './cluster.ts';
import { machineConfigs, machineTypes } from './config.ts';
import { hostnameStatuses, nodeAddresses } from './network.ts';
import { bootIds, machineStatuses, platformMetadatas, services, versions } from './runtime.ts';

export * from './cluster.ts';
export * from './config.ts';
export type * from './machine-type.ts';
export { nodeNamespaces } from './namespaces.ts';
export * from './network.ts';
export * from './runtime.ts';

/** Every kind that a node registers. */
export const nodeKinds: readonly ResourceKind[] = [
  machineConfigs,
  machineTypes,
  bootIds,
  machineStatuses,
  platformMetadatas,
  services,
  versions,
  members,
  hostnameStatuses,
  nodeAddresses,
];
