import type { SchemaTable } from '../parse-schema.ts';

/**
 * Documents that configure volumes, file systems and software storage (LVM, RAID). Source: Talos v1.14:
 * machine configuration, keys of the documents.
 */
export const blockDocuments: SchemaTable = {
  VolumeConfig: `
    name str !
    +volumeProvisioning
    filesystem obj -
      xfs obj -
        minAllocationGroupSize bytes
    +volumeEncryption
    mount obj -
      secure bool
      disableAccessTime bool
    +trimAndScrub
  `,
  UserVolumeConfig: `
    name str !
    volumeType enum:directory|disk|partition
    +volumeProvisioning
    filesystem obj -
      type enum:ext4|xfs|btrfs
      projectQuotaSupport bool
      xfs obj -
        minAllocationGroupSize bytes
    +volumeEncryption
    mount obj -
      disableAccessTime bool
      secure bool
    +trimAndScrub
  `,
  RawVolumeConfig: `
    name str !
    +volumeProvisioning
    +volumeEncryption
  `,
  SwapVolumeConfig: `
    name str !
    +volumeProvisioning
    +volumeEncryption
  `,
  ExistingVolumeConfig: `
    name str !
    discovery obj -
      volumeSelector obj -
        match str
    mount obj -
      readOnly bool
      disableAccessTime bool
      secure bool
    +trimAndScrub
  `,
  ExternalVolumeConfig: `
    name str !
    filesystemType enum:none|virtiofs !none
    mount obj -
      readOnly bool
      disableAccessTime bool
      secure bool
      virtiofs obj
        tag str !
  `,
  ZswapConfig: `
    maxPoolPercent int ?
    shrinkerEnabled bool
  `,
  FilesystemTrimConfig: `
    interval dur
  `,
  FilesystemScrubConfig: `
    interval dur
  `,
  LVMVolumeGroupConfig: `
    name str !
    provisioning obj !
      volumeSelector obj -
        match str
  `,
  LVMLogicalVolumeConfig: `
    name str !
    type enum:linear|raid0|raid1|raid10 !linear
    mirrors int
    stripes int ?
    provisioning obj !
      volumeGroup str !
      minSize limit
      maxSize limit
  `,
  RAIDArrayConfig: `
    name str !
    level enum:raid1 !raid1
    metadata enum:1.0|1.2
    provisioning obj !
      volumeSelector obj !
        match str
  `,
};
