// Source: Talos v1.14: COSI resources, enumerations.
import { enumeration } from '../../spec/field-types.ts';

export const volumeType = enumeration('VolumeType', {
  partition: 0,
  disk: 1,
  tmpfs: 2,
  directory: 3,
  symlink: 4,
  overlay: 5,
  external: 6,
});
export const volumePhase = enumeration('VolumePhase', {
  waiting: 0,
  failed: 1,
  missing: 2,
  located: 3,
  provisioned: 4,
  prepared: 5,
  ready: 6,
  closed: 7,
});
export const filesystemType = enumeration('FilesystemType', {
  none: 0,
  xfs: 1,
  vfat: 2,
  ext4: 3,
  iso9660: 4,
  swapi: 5,
  virtiofs: 6,
  btrfs: 7,
});
export const encryptionProviderType = enumeration('EncryptionProviderType', { none: 0, luks2: 1 });
export const encryptionKeyType = enumeration('EncryptionKeyType', { static: 0, nodeID: 1, kms: 2, tpm: 3 });
export const fsParameterType = enumeration('FSParameterType', { string: 0, boolean: 1, binary: 2 });
