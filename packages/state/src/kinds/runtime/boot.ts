import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, text, unlessEmpty } from '../../spec/field-types.ts';

/** The boot entry from which the node was started. */
export const bootedEntries = defineKind({
  type: 'BootedEntries.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'bootedentry',
  printColumns: {
    'Booted Entry': '{.bootedEntry}',
  },
  spec: {
    /** Name of the systemd-boot entry. */
    bootedEntry: unlessEmpty(1, text),
  },
});
export type BootedEntrySpec = SpecOf<typeof bootedEntries>;

/** A random ID that changes at every boot. */
export const bootIds = defineKind({
  type: 'BootIDs.runtime.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'boot-id',
  printColumns: {
    'Boot ID': '{.bootID}',
  },
  spec: {
    bootID: field(1, text),
  },
});
export type BootIdSpec = SpecOf<typeof bootIds>;

/** The kernel command line. */
export const kernelCmdlines = defineKind({
  type: 'KernelCmdlines.runtime.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'cmdline',
  aliases: ['cmdline'],
  printColumns: {
    Cmdline: '{.cmdline}',
  },
  spec: {
    cmdline: field(1, text),
  },
});
export type KernelCmdlineSpec = SpecOf<typeof kernelCmdlines>;

/** Name and version of the running system. */
export const versions = defineKind({
  type: 'Versions.runtime.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'version',
  printColumns: {
    Name: '{.name}',
    Version: '{.version}',
  },
  spec: {
    /** `Talos`. */
    name: field(2, text),
    /** Version tag such as `v1.14.0`. */
    version: field(1, text),
  },
});
export type VersionSpec = SpecOf<typeof versions>;
