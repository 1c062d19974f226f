import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { cel, field, int, list, text, unlessEmpty } from '../../spec/field-types.ts';
import { mdArrayPhase, mdLevel, mdMetadata } from './enumerations.ts';

/** Desired RAID arrays, by name. */
export const mdArraySpecs = defineKind({
  type: 'MDArraySpecs.storage.talos.dev',
  defaultNamespace: 'storage',
  printColumns: {
    Level: '{.level}',
  },
  spec: {
    level: field(1, mdLevel),
    volumeSelector: field(2, cel),
    metadata: field(3, mdMetadata),
  },
});
export type MdArraySpecSpec = SpecOf<typeof mdArraySpecs>;

/** Current states of RAID arrays, by name. */
export const mdArrayStatuses = defineKind({
  type: 'MDArrayStatuses.storage.talos.dev',
  defaultNamespace: 'storage',
  printColumns: {
    Level: '{.level}',
    Status: '{.status}',
    Sync: '{.syncAction}',
    Device: '{.device}',
  },
  spec: {
    level: field(1, mdLevel),
    device: field(2, text),
    members: field(3, list(text)),
    error: unlessEmpty(4, text),
    status: field(5, mdArrayPhase),
    raidDevices: field(6, int),
    uuid: unlessEmpty(7, text),
    name: unlessEmpty(8, text),
    metadata: unlessEmpty(9, text),
    arrayState: unlessEmpty(10, text),
    syncAction: unlessEmpty(11, text),
  },
});
export type MdArrayStatusSpec = SpecOf<typeof mdArrayStatuses>;

/** Requests a new scan of arrays when its counter increases. */
export const mdRefreshRequests = defineKind({
  type: 'MDRefreshRequests.storage.talos.dev',
  defaultNamespace: 'storage',
  singleton: 'refresh',
  printColumns: {
    Request: '{.request}',
  },
  spec: {
    request: field(1, int),
  },
});
export type MdRefreshRequestSpec = SpecOf<typeof mdRefreshRequests>;
