// Source: Talos v1.14: COSI resources, hardware.
import type { ResourceKind } from '../../meta/define-kind.ts';
import { deviceSourceStatuses } from './device-source.ts';
import { cpuCores, memoryModules, pcrStatuses, processors, systemInformations } from './hardware.ts';
import { pciDevices, pciDriverRebindConfigs, pciDriverRebindStatuses } from './pci.ts';

export * from './device-source.ts';
export * from './hardware.ts';
export * from './pci.ts';

export const hardwareKinds: readonly ResourceKind[] = [
  cpuCores,
  deviceSourceStatuses,
  memoryModules,
  pciDevices,
  pciDriverRebindConfigs,
  pciDriverRebindStatuses,
  pcrStatuses,
  processors,
  systemInformations,
];
