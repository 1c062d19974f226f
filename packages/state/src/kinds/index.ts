// The kinds of resources of a node. Source: Talos v1.14: COSI resources.
import type { ResourceKind } from '../meta/define-kind.ts';
import { clusterKinds } from './cluster/index.ts';
import { configKinds } from './config/index.ts';
import { networkKinds } from './network/index.ts';
import { runtimeKinds } from './runtime/index.ts';
import { secretsKinds } from './secrets/index.ts';

export * from './cluster/index.ts';
export * from './config/index.ts';
export type * from './machine-type.ts';
export { nodeNamespaces } from './namespaces.ts';
export * from './network/index.ts';
export * from './runtime/index.ts';
export * from './secrets/index.ts';

/** Every kind that a node registers, in the order of the reference. */
export const nodeKinds: readonly ResourceKind[] = [
  ...configKinds,
  ...runtimeKinds,
  ...clusterKinds,
  ...secretsKinds,
  ...networkKinds,
];
