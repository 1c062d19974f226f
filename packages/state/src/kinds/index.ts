// The kinds of resources of a node. Source: Talos v1.14: COSI resources.
import type { ResourceKind } from '../meta/define-kind.ts';
import { blockKinds } from './block/index.ts';
import { clusterKinds } from './cluster/index.ts';
import { configKinds } from './config/index.ts';
import { containersKinds } from './containers/index.ts';
import { controlplaneKinds } from './controlplane/index.ts';
import { criKinds } from './cri/index.ts';
import { etcdKinds } from './etcd/index.ts';
import { filesKinds } from './files/index.ts';
import { hardwareKinds } from './hardware/index.ts';
import { k8sKinds } from './k8s/index.ts';
import { kubespanKinds } from './kubespan/index.ts';
import { networkKinds } from './network/index.ts';
import { perfKinds } from './perf/index.ts';
import { runtimeKinds } from './runtime/index.ts';
import { secretsKinds } from './secrets/index.ts';
import { securityKinds } from './security/index.ts';
import { siderolinkKinds } from './siderolink/index.ts';
import { storageKinds } from './storage/index.ts';

export * from './block/index.ts';
export * from './cluster/index.ts';
export * from './config/index.ts';
export * from './containers/index.ts';
export * from './controlplane/index.ts';
export * from './cri/index.ts';
export * from './etcd/index.ts';
export * from './files/index.ts';
export * from './hardware/index.ts';
export * from './k8s/index.ts';
export * from './kubespan/index.ts';
export type * from './machine-type.ts';
export { nodeNamespaces } from './namespaces.ts';
export * from './network/index.ts';
export * from './perf/index.ts';
export * from './runtime/index.ts';
export * from './secrets/index.ts';
export * from './security/index.ts';
export * from './siderolink/index.ts';
export * from './storage/index.ts';

/** Every kind that a node registers, in the order in which Talos registers them. */
export const nodeKinds: readonly ResourceKind[] = [
  ...configKinds,
  ...runtimeKinds,
  ...clusterKinds,
  ...k8sKinds,
  ...controlplaneKinds,
  ...etcdKinds,
  ...secretsKinds,
  ...networkKinds,
  ...blockKinds,
  ...criKinds,
  ...containersKinds,
  ...hardwareKinds,
  ...kubespanKinds,
  ...perfKinds,
  ...siderolinkKinds,
  ...filesKinds,
  ...securityKinds,
  ...storageKinds,
];
