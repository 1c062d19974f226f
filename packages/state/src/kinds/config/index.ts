// Source: Talos v1.14: COSI resources, config.
import type { ResourceKind } from '../../meta/define-kind.ts';
import { machineConfigs } from './machine-configs.ts';
import { machineTypes } from './machine-types.ts';

export * from './machine-configs.ts';
export * from './machine-types.ts';

export const configKinds: readonly ResourceKind[] = [machineConfigs, machineTypes];
