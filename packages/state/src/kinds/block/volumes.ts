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

/** Whether disks of the old configuration are mounted. */
export const userDiskConfigStatuses = defineKind({
  type: 'UserDiskConfigStatuses.block.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'user-disks',
  printColumns: {
    Ready: '{.ready}',
  },
  spec: {
    /** All legacy `machine.disks` mounted. */
    ready: field(1, bool),
    /** All torn down. */
    tornDown: field(2, bool),
  },
});
export type UserDiskConfigStatusSpec = SpecOf<typeof userDiskConfigStatuses>;

/** Volumes that there should be, by id. They may hold keys. */
export const volumeConfigs = defineKind({
  type: 'VolumeConfigs.block.talos.dev',
  defaultNamespace: 'runtime',
  isSensitive: true,
  spec: {
    /** Volume that must be ready first. */
    parentId: unlessEmpty(1, text),
    type: field(2, volumeType),
    /** How to create. */
    provisioning: field(3, provisioningSpec),
    /** How to encrypt. */
    encryption: unlessEmpty(6, encryptionSpec),
    /** How to find. */
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

/** `volumes` is there while volumes may be used; who uses one holds it. */
export const volumeLifecycles = defineKind({
  type: 'VolumeLifecycles.block.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'volumes',
  spec: {},
});
export type VolumeLifecycleSpec = SpecOf<typeof volumeLifecycles>;

/** Volumes as they are, by id. */
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
    /** Phase before failure. */
    preFailPhase: unlessEmpty(6, volumePhase),
    type: field(16, volumeType),
    parentID: unlessEmpty(19, text),
    /** Raw device path. */
    location: unlessEmpty(2, text),
    /** Path to mount (mapper when encrypted). */
    mountLocation: unlessEmpty(11, text),
    partitionIndex: unlessEmpty(8, int),
    /** Parent disk path. */
    parentLocation: unlessEmpty(7, text),
    /** Of the file system. */
    uuid: unlessEmpty(4, text),
    /** Of the partition. */
    partitionUUID: unlessEmpty(5, text),
    /** Bytes. */
    size: unlessEmpty(9, uint64),
    /** With a unit of powers of 1000. */
    prettySize: unlessEmpty(13, text),
    filesystem: unlessEmpty(10, filesystemType),
    encryptionProvider: unlessEmpty(12, encryptionProviderType),
    /** Key sync errors. */
    encryptionFailedSyncs: unlessEmpty(14, list(text)),
    /** Kinds of keys. */
    configuredEncryptionKeys: unlessEmpty(17, list(text)),
    /** Bound to STATE. */
    encryptionLockedToState: unlessEmpty(20, bool),
    /** Slot that unlocked. */
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
