// Source: Talos v1.14: COSI resources, runtime.
import type { ResourceKind } from '../../meta/define-kind.ts';
import {
  apiServiceConfigs,
  apiWaits,
  maintenanceServiceConfigs,
  maintenanceServiceRequests,
} from './api-service.ts';
import { bootedEntries, bootIds, kernelCmdlines, versions } from './boot.ts';
import { devicesStatuses, watchdogTimerConfigs, watchdogTimerStatuses } from './devices.ts';
import { diagnostics, oomActions } from './diagnostics.ts';
import { environments, eventSinkConfigs, kmsgLogConfigs } from './environment.ts';
import {
  extensionServiceConfigStatuses,
  extensionServiceConfigs,
  extensionStatuses,
  imageFactorySchematics,
  sbomItems,
} from './extensions.ts';
import { kernelModuleSpecs, kernelModuleStatuses, loadedKernelModules } from './kernel-modules.ts';
import { kernelParamDefaultSpecs, kernelParamSpecs, kernelParamStatuses } from './kernel-params.ts';
import {
  machineResetSignals,
  machineStatuses,
  rebootRequests,
  unattendedInstallStatuses,
} from './machine-status.ts';
import { metaKeys, metaLoads, uniqueMachineTokens } from './meta.ts';
import { mountStatuses } from './mounts.ts';
import { platformMetadatas } from './platform-metadata.ts';
import { securityStates } from './security-state.ts';
import { acquireConfigSpecs, acquireConfigStatuses, servicePids, services } from './services.ts';
import { adjtimeStatuses, ntpStatuses, timeStatuses } from './time.ts';
import { upgradePlans, upgradeSteps } from './upgrade-plan.ts';
import { upgradeStatuses } from './upgrade-status.ts';

export * from './api-service.ts';
export * from './boot.ts';
export * from './devices.ts';
export * from './diagnostics.ts';
export * as runtimeEnumerations from './enumerations.ts';
export * from './environment.ts';
export * from './extensions.ts';
export * from './kernel-modules.ts';
export * from './kernel-params.ts';
export * from './machine-status.ts';
export * from './meta.ts';
export * from './mounts.ts';
export * from './platform-metadata.ts';
export * from './security-state.ts';
export * from './services.ts';
export * from './time.ts';
export * from './upgrade-plan.ts';
export * from './upgrade-status.ts';

export const runtimeKinds: readonly ResourceKind[] = [
  apiServiceConfigs,
  apiWaits,
  bootedEntries,
  bootIds,
  devicesStatuses,
  diagnostics,
  environments,
  eventSinkConfigs,
  extensionServiceConfigs,
  extensionServiceConfigStatuses,
  extensionStatuses,
  imageFactorySchematics,
  kernelCmdlines,
  kernelModuleStatuses,
  kernelModuleSpecs,
  kernelParamSpecs,
  kernelParamDefaultSpecs,
  kernelParamStatuses,
  kmsgLogConfigs,
  loadedKernelModules,
  maintenanceServiceConfigs,
  maintenanceServiceRequests,
  machineResetSignals,
  rebootRequests,
  machineStatuses,
  metaKeys,
  metaLoads,
  mountStatuses,
  oomActions,
  platformMetadatas,
  sbomItems,
  securityStates,
  servicePids,
  uniqueMachineTokens,
  unattendedInstallStatuses,
  upgradePlans,
  upgradeStatuses,
  upgradeSteps,
  versions,
  watchdogTimerConfigs,
  watchdogTimerStatuses,
  acquireConfigSpecs,
  acquireConfigStatuses,
  services,
  adjtimeStatuses,
  ntpStatuses,
  timeStatuses,
];
