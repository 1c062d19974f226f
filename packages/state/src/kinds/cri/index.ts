// Source: Talos v1.14: COSI resources, cri.
import type { ResourceKind } from '../../meta/define-kind.ts';
import { baseRuntimeSpecConfigs, customizationConfigs, imageCacheConfigs, seccompProfiles } from './cri.ts';
import { registryConfigs } from './registries.ts';

export * from './cri.ts';
export * as criEnumerations from './enumerations.ts';
export * from './registries.ts';

export const criKinds: readonly ResourceKind[] = [
  imageCacheConfigs,
  seccompProfiles,
  baseRuntimeSpecConfigs,
  customizationConfigs,
  registryConfigs,
];
