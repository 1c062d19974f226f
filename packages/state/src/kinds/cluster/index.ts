// Source: Talos v1.14: COSI resources, cluster.
import type { ResourceKind } from '../../meta/define-kind.ts';
import { affiliates, discoveryConfigs } from './discovery.ts';
import { kubernetesAccessConfigs } from './kubernetes-access.ts';
import { identities, infos, members } from './members.ts';

export * from './discovery.ts';
export * from './kubernetes-access.ts';
export * from './members.ts';

export const clusterKinds: readonly ResourceKind[] = [
  affiliates,
  discoveryConfigs,
  identities,
  infos,
  members,
  kubernetesAccessConfigs,
];
