// Source: Talos v1.14: COSI resources, enumerations.
import { enumeration } from '../../spec/field-types.ts';

export const imageCacheStatus = enumeration('ImageCacheStatus', {
  unknown: 0,
  disabled: 1,
  preparing: 2,
  ready: 3,
});
export const imageCacheCopyStatus = enumeration('ImageCacheCopyStatus', {
  unknown: 0,
  skipped: 1,
  copying: 2,
  ready: 3,
});
