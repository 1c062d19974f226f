import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, text, unlessEmpty } from '../../spec/field-types.ts';

/** What the boot loader started. */
export const bootedEntries = defineKind({
  type: 'BootedEntries.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'bootedentry',
  printColumns: {
    'Booted Entry': '{.bootedEntry}',
  },
  spec: {
    /** Sd-boot entry name. */
    bootedEntry: unlessEmpty(1, text),
  },
});
export type BootedEntrySpec = SpecOf<typeof bootedEntries>;

/** Another one after every boot. */
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

/** What the kernel was started with. */
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

/** What runs on the node. */
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
    /** Tag such as v1.14.0. */
    version: field(1, text),
  },
});
export type VersionSpec = SpecOf<typeof versions>;
