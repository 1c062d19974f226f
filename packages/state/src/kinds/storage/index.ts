// Source: Talos v1.14: COSI resources, storage.
import type { ResourceKind } from '../../meta/define-kind.ts';
import {
  lvmLogicalVolumeSpecs,
  lvmLogicalVolumeStatuses,
  lvmPhysicalVolumeSpecs,
  lvmPhysicalVolumeStatuses,
  lvmRefreshRequests,
  lvmValidationErrors,
  lvmVolumeGroupSpecs,
  lvmVolumeGroupStatuses,
} from './lvm.ts';
import { mdArraySpecs, mdArrayStatuses, mdRefreshRequests } from './md.ts';

export * as storageEnumerations from './enumerations.ts';
export * from './lvm.ts';
export * from './md.ts';

export const storageKinds: readonly ResourceKind[] = [
  lvmRefreshRequests,
  lvmPhysicalVolumeSpecs,
  lvmLogicalVolumeSpecs,
  lvmLogicalVolumeStatuses,
  lvmPhysicalVolumeStatuses,
  lvmValidationErrors,
  lvmVolumeGroupSpecs,
  lvmVolumeGroupStatuses,
  mdArraySpecs,
  mdArrayStatuses,
  mdRefreshRequests,
];
