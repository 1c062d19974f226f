// Source: Talos v1.14: COSI resources, block.
import type { ResourceKind } from '../../meta/define-kind.ts';
import { blockDevices, blockSymlinks, disks, systemDisks } from './devices.ts';
import { discoveredVolumes, discoveryRefreshRequests, discoveryRefreshStatuses } from './discovery.ts';
import { fsScrubSchedules, fsScrubStatuses, volumeTrimSchedules } from './maintenance.ts';
import { blockMountStatuses, mountRequests, volumeMountRequests, volumeMountStatuses } from './mounts.ts';
import { swapStatuses, zswapStatuses } from './swap.ts';
import { userDiskConfigStatuses, volumeConfigs, volumeLifecycles, volumeStatuses } from './volumes.ts';

export * from './devices.ts';
export * from './discovered-text.ts';
export * from './discovery.ts';
export * as blockEnumerations from './enumerations.ts';
export * from './maintenance.ts';
export * from './mounts.ts';
export * from './swap.ts';
export type * from './volume-parts.ts';
export * from './volumes.ts';

/** Does not contain `discoveredVolumesStatuses`, which only controllers use. */
export const blockKinds: readonly ResourceKind[] = [
  blockDevices,
  discoveredVolumes,
  discoveryRefreshRequests,
  discoveryRefreshStatuses,
  disks,
  mountRequests,
  blockMountStatuses,
  swapStatuses,
  blockSymlinks,
  systemDisks,
  userDiskConfigStatuses,
  volumeConfigs,
  volumeLifecycles,
  volumeMountRequests,
  volumeMountStatuses,
  volumeStatuses,
  volumeTrimSchedules,
  zswapStatuses,
  fsScrubSchedules,
  fsScrubStatuses,
];
