import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import {
  bool,
  duration,
  field,
  int,
  list,
  optional,
  text,
  uint64,
  unlessEmpty,
} from '../../spec/field-types.ts';
import { encryptionProviderType, filesystemType, volumePhase, volumeType } from './enumerations.ts';
import {
  encryptionSpec,
  locatorSpec,
  mountSpec,
  provisioningSpec,
  symlinkProvisioningSpec,
  tpmEncryptionOptionsInfo,
} from './volume-parts.ts';

/** Whether the disks of the legacy `machine.disks` are mounted. */
export const userDiskConfigStatuses = defineKind({
  type: 'UserDiskConfigStatuses.block.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'user-disks',
  printColumns: {
    Ready: '{.ready}',
  },
  spec: {
    /** All disks are mounted. */
    ready: field(1, bool),
    /** All disks are torn down. */
    tornDown: field(2, bool),
  },
});
export type UserDiskConfigStatusSpec = SpecOf<typeof userDiskConfigStatuses>;

/** Desired volumes, by ID. They may contain encryption keys. */
export const volumeConfigs = defineKind({
  type: 'VolumeConfigs.block.talos.dev',
  defaultNamespace: 'runtime',
  isSensitive: true,
  spec: {
    /** ID of the volume that must be ready first. */
    parentId: unlessEmpty(1, text),
    type: field(2, volumeType),
    /** How to create the volume. */
    provisioning: field(3, provisioningSpec),
    /** How to encrypt the volume. */
    encryption: unlessEmpty(6, encryptionSpec),
    /** How to find the existing volume. */
    locator: field(4, locatorSpec),
    mount: unlessEmpty(5, mountSpec),
    symlink: unlessEmpty(7, symlinkProvisioningSpec),
    trimEnabled: unlessEmpty(8, bool),
    trimInterval: unlessEmpty(9, duration),
    scrubEnabled: unlessEmpty(10, bool),
    scrubInterval: unlessEmpty(11, duration),
  },
});
export type VolumeConfigSpec = SpecOf<typeof volumeConfigs>;

/** `volumes` exists while volumes may be used. A controller that uses a volume adds a finalizer to it. */
export const volumeLifecycles = defineKind({
  type: 'VolumeLifecycles.block.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'volumes',
  spec: {},
});
export type VolumeLifecycleSpec = SpecOf<typeof volumeLifecycles>;

/** Current states of volumes, by ID. */
export const volumeStatuses = defineKind({
  type: 'VolumeStatuses.block.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    Type: '{.type}',
    Phase: '{.phase}',
    Location: '{.location}',
    Size: '{.prettySize}',
  },
  spec: {
    phase: field(1, volumePhase),
    /** Phase before the failure. */
    preFailPhase: unlessEmpty(6, volumePhase),
    type: field(16, volumeType),
    parentID: unlessEmpty(19, text),
    /** Path of the device that contains the data, encrypted or not. */
    location: unlessEmpty(2, text),
    /** Path of the device to mount: the mapped device of an encrypted volume. */
    mountLocation: unlessEmpty(11, text),
    partitionIndex: unlessEmpty(8, int),
    /** Path of the parent disk. */
    parentLocation: unlessEmpty(7, text),
    /** UUID of the file system. */
    uuid: unlessEmpty(4, text),
    /** UUID of the partition. */
    partitionUUID: unlessEmpty(5, text),
    /** Bytes. */
    size: unlessEmpty(9, uint64),
    /** Human-readable size with a decimal unit. */
    prettySize: unlessEmpty(13, text),
    filesystem: unlessEmpty(10, filesystemType),
    encryptionProvider: unlessEmpty(12, encryptionProviderType),
    /** Errors while encryption keys were synchronized. */
    encryptionFailedSyncs: unlessEmpty(14, list(text)),
    /** Types of the configured encryption keys. */
    configuredEncryptionKeys: unlessEmpty(17, list(text)),
    /** The key is bound to the STATE volume. */
    encryptionLockedToState: unlessEmpty(20, bool),
    /** Key slot that unlocked the volume. */
    encryptionSlot: unlessEmpty(21, optional(int)),
    tpmEncryptionOptions: unlessEmpty(22, tpmEncryptionOptionsInfo),
    encryptionAllowDiscards: unlessEmpty(23, bool),
    trimEnabled: unlessEmpty(24, bool),
    trimInterval: unlessEmpty(25, duration),
    scrubEnabled: unlessEmpty(26, bool),
    scrubInterval: unlessEmpty(27, duration),
    mountSpec: unlessEmpty(15, mountSpec),
    symlink: unlessEmpty(18, symlinkProvisioningSpec),
    errorMessage: unlessEmpty(3, text),
  },
});
export type VolumeStatusSpec = SpecOf<typeof volumeStatuses>;
