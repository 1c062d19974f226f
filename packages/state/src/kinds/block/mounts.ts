import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, list, message, text, unlessEmpty } from '../../spec/field-types.ts';
import { encryptionProviderType, filesystemType } from './enumerations.ts';

export const mountRequestsFields = {
  /** Volume to mount. */
  volumeID: field(1, text),
  /** Parent mount request id. */
  parentID: field(2, text),
  /** Only if all requesters want it. */
  readOnly: field(5, bool),
  /** Mount not attached to the tree. */
  detached: field(6, bool),
  /** Noatime. */
  disableAccessTime: unlessEmpty(7, bool),
  /** Nosuid+nodev. */
  secure: unlessEmpty(8, bool),
  /** Noexec. */
  noExec: unlessEmpty(9, bool),
  /** Requester names. */
  requesters: field(3, list(text)),
  /** Ids of the VolumeMountRequests merged here. */
  requesterIDs: field(4, list(text)),
};

/** Volumes that somebody wants mounted, by volume. */
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

/** Volumes that are mounted, by volume. */
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
    /** Copy of MountRequestSpec. */
    spec: field(1, message(mountRequestsFields)),
    /** Device or source path. */
    source: field(3, text),
    /** Mount point. */
    target: field(2, text),
    filesystem: field(4, filesystemType),
    encryptionProvider: unlessEmpty(7, encryptionProviderType),
    /** Mounted ro. */
    readOnly: field(5, bool),
    /** Prjquota on. */
    projectQuotaSupport: field(6, bool),
    /** Detached mount. */
    detached: field(8, bool),
  },
});
export type BlockMountStatusSpec = SpecOf<typeof blockMountStatuses>;

/** Who wants which volume mounted, under `<requester>-<volume>`. */
export const volumeMountRequests = defineKind({
  type: 'VolumeMountRequests.block.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    'Volume ID': '{.volumeID}',
    Requester: '{.requester}',
  },
  spec: {
    /** Volume wanted. */
    volumeID: field(1, text),
    /** Controller/service name. */
    requester: field(2, text),
    /** Ro. */
    readOnly: field(3, bool),
    /** Detached. */
    detached: field(4, bool),
    /** Noatime. */
    disableAccessTime: field(5, bool),
    /** Nosuid+nodev. */
    secure: field(6, bool),
    /** Noexec. */
    noExec: field(7, bool),
  },
});
export type VolumeMountRequestSpec = SpecOf<typeof volumeMountRequests>;

/** What each request for a mount got, under its id. */
export const volumeMountStatuses = defineKind({
  type: 'VolumeMountStatuses.block.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    'Volume ID': '{.volumeID}',
    Requester: '{.requester}',
    Target: '{.target}',
  },
  spec: {
    /** Volume. */
    volumeID: field(1, text),
    /** Who asked. */
    requester: field(2, text),
    /** Mount path. */
    target: field(3, text),
    /** Ro. */
    readOnly: field(4, bool),
    /** Detached. */
    detached: field(5, bool),
    /** Noatime. */
    disableAccessTime: field(6, bool),
    /** Nosuid+nodev. */
    secure: field(7, bool),
    /** Noexec. */
    noExec: field(8, bool),
  },
});
export type VolumeMountStatusSpec = SpecOf<typeof volumeMountStatuses>;
