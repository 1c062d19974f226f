import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, int, list, text, uint32, uint64, unlessEmpty } from '../../spec/field-types.ts';
import { lvmLogicalVolumeType } from './enumerations.ts';

/** Requests a new scan of LVM when its counter increases. */
export const lvmRefreshRequests = defineKind({
  type: 'LVMRefreshRequests.storage.talos.dev',
  defaultNamespace: 'storage',
  singleton: 'refresh',
  printColumns: {
    Request: '{.request}',
  },
  spec: {
    request: field(1, int),
  },
});
export type LvmRefreshRequestSpec = SpecOf<typeof lvmRefreshRequests>;

/** Desired physical volumes of volume groups. */
export const lvmPhysicalVolumeSpecs = defineKind({
  type: 'LVMPhysicalVolumeSpecs.storage.talos.dev',
  defaultNamespace: 'storage',
  printColumns: {
    Device: '{.device}',
    VG: '{.vgName}',
  },
  spec: {
    device: field(1, text),
    vgName: field(2, text),
  },
});
export type LvmPhysicalVolumeSpecSpec = SpecOf<typeof lvmPhysicalVolumeSpecs>;

/** Desired logical volumes, with IDs `<group>-<volume>`. */
export const lvmLogicalVolumeSpecs = defineKind({
  type: 'LVMLogicalVolumeSpecs.storage.talos.dev',
  defaultNamespace: 'storage',
  printColumns: {
    VG: '{.vgName}',
    Name: '{.name}',
    Type: '{.type}',
  },
  spec: {
    vgName: field(1, text),
    name: field(2, text),
    type: field(3, lvmLogicalVolumeType),
    sizeBytes: field(4, uint64),
    sizePercentVG: field(5, uint32),
    mirrors: field(6, uint32),
    stripes: field(7, uint32),
  },
});
export type LvmLogicalVolumeSpecSpec = SpecOf<typeof lvmLogicalVolumeSpecs>;

/** Logical volumes, with values as printed by `lvs`. */
export const lvmLogicalVolumeStatuses = defineKind({
  type: 'LVMLogicalVolumeStatuses.storage.talos.dev',
  defaultNamespace: 'storage',
  aliases: ['lvs'],
  printColumns: {
    Path: '{.path}',
    VG: '{.vgName}',
    Layout: '{.layout}',
    Size: '{.prettySize}',
    Active: '{.active}',
  },
  spec: {
    path: field(1, text),
    dmPath: field(2, text),
    name: field(3, text),
    fullName: field(4, text),
    vgName: field(5, text),
    uuid: field(6, text),
    layout: field(7, text),
    role: field(8, text),
    permissions: field(9, text),
    allocationPolicy: field(10, text),
    allocationLocked: field(11, text),
    fixedMinor: field(12, text),
    active: field(13, text),
    activeLocally: field(14, text),
    activeRemotely: field(15, text),
    activeExclusively: field(16, text),
    suspended: field(17, text),
    deviceOpen: field(18, text),
    skipActivation: field(19, text),
    merging: field(20, text),
    converting: field(21, text),
    size: field(22, text),
    metadataSize: field(23, text),
    readAhead: field(24, text),
    kernelMajor: field(25, text),
    kernelMinor: field(26, text),
    origin: field(27, text),
    originSize: field(28, text),
    poolLV: field(29, text),
    dataLV: field(30, text),
    metadataLV: field(31, text),
    movePV: field(32, text),
    convertLV: field(33, text),
    whenFull: field(34, text),
    tags: field(35, list(text)),
    prettySize: unlessEmpty(36, text),
  },
});
export type LvmLogicalVolumeStatusSpec = SpecOf<typeof lvmLogicalVolumeStatuses>;

/** Physical volumes, with values as printed by `pvs`. */
export const lvmPhysicalVolumeStatuses = defineKind({
  type: 'LVMPhysicalVolumeStatuses.storage.talos.dev',
  defaultNamespace: 'storage',
  aliases: ['pvs'],
  printColumns: {
    Device: '{.device}',
    VG: '{.vgName}',
    Size: '{.prettySize}',
    Free: '{.prettyFree}',
    Allocatable: '{.allocatable}',
  },
  spec: {
    device: field(1, text),
    vgName: field(2, text),
    uuid: field(3, text),
    format: field(4, text),
    allocatable: field(5, text),
    exported: field(6, text),
    missing: field(7, text),
    inUse: field(8, text),
    size: field(9, text),
    deviceSize: field(10, text),
    free: field(11, text),
    used: field(12, text),
    peCount: field(13, text),
    peAllocCount: field(14, text),
    major: field(15, text),
    minor: field(16, text),
    tags: field(17, list(text)),
    prettySize: unlessEmpty(18, text),
    prettyDeviceSize: unlessEmpty(19, text),
    prettyFree: unlessEmpty(20, text),
  },
});
export type LvmPhysicalVolumeStatusSpec = SpecOf<typeof lvmPhysicalVolumeStatuses>;

/** Errors of desired volumes, with IDs `<group>` or `<group>/<volume>`. */
export const lvmValidationErrors = defineKind({
  type: 'LVMValidationErrors.storage.talos.dev',
  defaultNamespace: 'storage',
  printColumns: {
    VG: '{.vgName}',
    Message: '{.message}',
  },
  spec: {
    vgName: field(1, text),
    message: field(2, text),
  },
});
export type LvmValidationErrorSpec = SpecOf<typeof lvmValidationErrors>;

/** Desired volume groups, by name. */
export const lvmVolumeGroupSpecs = defineKind({
  type: 'LVMVolumeGroupSpecs.storage.talos.dev',
  defaultNamespace: 'storage',
  printColumns: {
    Name: '{.name}',
  },
  spec: {
    name: field(1, text),
    /** Sorted device paths. */
    physicalVolumes: field(2, list(text)),
  },
});
export type LvmVolumeGroupSpecSpec = SpecOf<typeof lvmVolumeGroupSpecs>;

/** Volume groups, with values as printed by `vgs`. */
export const lvmVolumeGroupStatuses = defineKind({
  type: 'LVMVolumeGroupStatuses.storage.talos.dev',
  defaultNamespace: 'storage',
  aliases: ['vgs'],
  printColumns: {
    Name: '{.name}',
    Permissions: '{.permissions}',
    Size: '{.prettySize}',
    Free: '{.prettyFree}',
    PVs: '{.pvCount}',
    LVs: '{.lvCount}',
  },
  spec: {
    name: field(1, text),
    uuid: field(2, text),
    format: field(3, text),
    permissions: field(4, text),
    extendable: field(5, text),
    exported: field(6, text),
    partial: field(7, text),
    allocationPolicy: field(8, text),
    clustered: field(9, text),
    shared: field(10, text),
    size: field(11, text),
    free: field(12, text),
    extentSize: field(13, text),
    extentCount: field(14, text),
    freeExtentCount: field(15, text),
    maxLV: field(16, text),
    maxPV: field(17, text),
    lvCount: field(18, text),
    pvCount: field(19, text),
    snapCount: field(20, text),
    missingPVCount: field(21, text),
    seqNo: field(22, text),
    lockType: field(23, text),
    systemID: field(24, text),
    tags: field(25, list(text)),
    prettySize: unlessEmpty(26, text),
    prettyFree: unlessEmpty(27, text),
  },
});
export type LvmVolumeGroupStatusSpec = SpecOf<typeof lvmVolumeGroupStatuses>;
