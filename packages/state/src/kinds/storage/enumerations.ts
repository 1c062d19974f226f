// Source: Talos v1.14: COSI resources, enumerations.
import { enumeration } from '../../spec/field-types.ts';

export const lvmLogicalVolumeType = enumeration('LVMLogicalVolumeType', {
  linear: 0,
  raid1: 1,
  raid0: 2,
  raid10: 3,
});
export const mdLevel = enumeration('MDLevel', { raid1: 0 });
export const mdMetadata = enumeration('MDMetadata', { '1.0': 0, '1.2': 1 });
export const mdArrayPhase = enumeration('MDArrayPhase', {
  unknown: 0,
  waiting: 1,
  rebuilding: 2,
  ready: 3,
  error: 4,
});
