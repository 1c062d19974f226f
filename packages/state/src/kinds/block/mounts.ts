import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, list, message, text, unlessEmpty } from '../../spec/field-types.ts';
import { encryptionProviderType, filesystemType } from './enumerations.ts';

const mountRequestsFields = {
  volumeID: field(1, text),
  /** ID of the parent mount request. */
  parentID: field(2, text),
  /** True only if all requesters request a read-only mount. */
  readOnly: field(5, bool),
  /** The mount is not attached to the mount tree. */
  detached: field(6, bool),
  /** `noatime`. */
  disableAccessTime: unlessEmpty(7, bool),
  /** Mount with `nosuid` and `nodev`. */
  secure: unlessEmpty(8, bool),
  noExec: unlessEmpty(9, bool),
  requesters: field(3, list(text)),
  /** IDs of the VolumeMountRequests merged into this request. */
  requesterIDs: field(4, list(text)),
};

/** Merged mount requests, by volume. */
export const mountRequests = defineKind({
  type: 'MountRequests.block.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    Volume: '{.volumeID}',
    Parent: '{.parentID}',
    Requesters: '{.requesters}',
  },
  spec: mountRequestsFields,
});
export type MountRequestSpec = SpecOf<typeof mountRequests>;

/** Mounted volumes, by volume. */
export const blockMountStatuses = defineKind({
  type: 'MountStatuses.block.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    Source: '{.source}',
    Target: '{.target}',
    Filesystem: '{.filesystem}',
    Volume: '{.spec.volumeID}',
  },
  spec: {
    /** Copy of the mount request. */
    spec: field(1, message(mountRequestsFields)),
    /** Path of the device or of the source directory. */
    source: field(3, text),
    target: field(2, text),
    filesystem: field(4, filesystemType),
    encryptionProvider: unlessEmpty(7, encryptionProviderType),
    readOnly: field(5, bool),
    projectQuotaSupport: field(6, bool),
    detached: field(8, bool),
  },
});
export type BlockMountStatusSpec = SpecOf<typeof blockMountStatuses>;

/** Mount requests of single requesters, with IDs `<requester>-<volume>`. */
export const volumeMountRequests = defineKind({
  type: 'VolumeMountRequests.block.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    'Volume ID': '{.volumeID}',
    Requester: '{.requester}',
  },
  spec: {
    volumeID: field(1, text),
    requester: field(2, text),
    readOnly: field(3, bool),
    detached: field(4, bool),
    /** `noatime`. */
    disableAccessTime: field(5, bool),
    /** Mount with `nosuid` and `nodev`. */
    secure: field(6, bool),
    noExec: field(7, bool),
  },
});
export type VolumeMountRequestSpec = SpecOf<typeof volumeMountRequests>;

/** Results of VolumeMountRequests, with the same IDs. */
export const volumeMountStatuses = defineKind({
  type: 'VolumeMountStatuses.block.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    'Volume ID': '{.volumeID}',
    Requester: '{.requester}',
    Target: '{.target}',
  },
  spec: {
    volumeID: field(1, text),
    requester: field(2, text),
    target: field(3, text),
    readOnly: field(4, bool),
    detached: field(5, bool),
    /** `noatime`. */
    disableAccessTime: field(6, bool),
    /** Mounted with `nosuid` and `nodev`. */
    secure: field(7, bool),
    noExec: field(8, bool),
  },
});
export type VolumeMountStatusSpec = SpecOf<typeof volumeMountStatuses>;
