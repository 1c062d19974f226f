// Source: Talos v1.14: COSI resources, controlplane.
import type { ResourceKind } from '../../meta/define-kind.ts';
import { apiServerConfigs, controllerManagerConfigs, schedulerConfigs } from './components.ts';
import { manifestProblems } from './manifest-problems.ts';
import {
  bootstrapManifestsConfigs,
  extraManifestsConfigs,
  manifestStatuses,
  manifests,
} from './manifests.ts';
import {
  admissionControlConfigs,
  auditPolicyConfigs,
  authenticationConfigs,
  authorizationConfigs,
} from './policies.ts';
import { configStatuses, endpoints, secretStatuses } from './statuses.ts';

export * from './components.ts';
export * from './manifest-problems.ts';
export * from './manifests.ts';
export * from './policies.ts';
export type * from './resources.ts';
export * from './statuses.ts';

export const controlplaneKinds: readonly ResourceKind[] = [
  admissionControlConfigs,
  auditPolicyConfigs,
  authenticationConfigs,
  authorizationConfigs,
  apiServerConfigs,
  configStatuses,
  controllerManagerConfigs,
  endpoints,
  extraManifestsConfigs,
  manifests,
  manifestStatuses,
  manifestProblems,
  bootstrapManifestsConfigs,
  schedulerConfigs,
  secretStatuses,
];
