import type { SchemaTable } from '../parse-schema.ts';

/** Documents about volumes, file systems and software storage. Source: Talos v1.14: machine configuration, keys of the documents. */
export const blockDocuments: SchemaTable = {
  VolumeConfig: `
    name str !
    provisioning obj
      diskSelector obj
        match str ~
      grow bool
      minSize str ~
      maxSize str
    filesystem obj
      xfs obj
        minAllocationGroupSize str
    encryption obj
      provider enum:luks2 !
      keys list !
        slot int !
        static obj
          passphrase str
        nodeID obj
        kms obj
          endpoint str !
        tpm obj
          options obj
            pcrs ints
          checkSecurebootStatusOnEnroll bool
        lockToState bool
      cipher enum:aes-xts-plain64|xchacha12,aes-adiantum-plain64|xchacha20,aes-adiantum-plain64
      keySize int
      blockSize int
      options strs
      allowDiscards bool
    mount obj
      secure bool
      disableAccessTime bool
    trim obj
      enabled bool
      interval dur
    scrub obj
      enabled bool
      interval dur
  `,
  UserVolumeConfig: `
    name str !
    volumeType enum:directory|disk|partition
    provisioning obj
      diskSelector obj
        match str ~
      grow bool
      minSize str ~
      maxSize str
    filesystem obj
      type enum:ext4|xfs|btrfs
      projectQuotaSupport bool
      xfs obj
        minAllocationGroupSize str
    encryption obj
      provider enum:luks2 !
      keys list !
        slot int !
        static obj
          passphrase str
        nodeID obj
        kms obj
          endpoint str !
        tpm obj
          options obj
            pcrs ints
          checkSecurebootStatusOnEnroll bool
        lockToState bool
      cipher enum:aes-xts-plain64|xchacha12,aes-adiantum-plain64|xchacha20,aes-adiantum-plain64
      keySize int
      blockSize int
      options strs
      allowDiscards bool
    mount obj
      disableAccessTime bool
      secure bool
    trim obj
      enabled bool
      interval dur
    scrub obj
      enabled bool
      interval dur
  `,
  RawVolumeConfig: `
    name str !
    provisioning obj
      diskSelector obj
        match str ~
      grow bool
      minSize str ~
      maxSize str
    encryption obj
      provider enum:luks2 !
      keys list !
        slot int !
        static obj
          passphrase str
        nodeID obj
        kms obj
          endpoint str !
        tpm obj
          options obj
            pcrs ints
          checkSecurebootStatusOnEnroll bool
        lockToState bool
      cipher enum:aes-xts-plain64|xchacha12,aes-adiantum-plain64|xchacha20,aes-adiantum-plain64
      keySize int
      blockSize int
      options strs
      allowDiscards bool
  `,
  SwapVolumeConfig: `
    name str !
    provisioning obj
      diskSelector obj
        match str ~
      grow bool
      minSize str ~
      maxSize str
    encryption obj
      provider enum:luks2 !
      keys list !
        slot int !
        static obj
          passphrase str
        nodeID obj
        kms obj
          endpoint str !
        tpm obj
          options obj
            pcrs ints
          checkSecurebootStatusOnEnroll bool
        lockToState bool
      cipher enum:aes-xts-plain64|xchacha12,aes-adiantum-plain64|xchacha20,aes-adiantum-plain64
      keySize int
      blockSize int
      options strs
      allowDiscards bool
  `,
  ExistingVolumeConfig: `
    name str !
    discovery obj
      volumeSelector obj
        match str
    mount obj
      readOnly bool
      disableAccessTime bool
      secure bool
    trim obj
      enabled bool
      interval dur
    scrub obj
      enabled bool
      interval dur
  `,
  ExternalVolumeConfig: `
    name str !
    filesystemType enum:virtiofs !
    mount obj
      readOnly bool
      disableAccessTime bool
      secure bool
      virtiofs obj
        tag str !
  `,
  ZswapConfig: `
    maxPoolPercent int
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
      volumeSelector obj
        match str
  `,
  LVMLogicalVolumeConfig: `
    name str !
    type str !
    mirrors int
    stripes int
    provisioning obj !
      volumeGroup str !
      minSize str
      maxSize str
  `,
  RAIDArrayConfig: `
    name str !
    level enum:raid1 !
    metadata enum:1.0|1.2
    provisioning obj !
      volumeSelector obj !
        match str
  `,
};
