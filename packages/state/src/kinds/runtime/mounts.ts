import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, list, text, unlessEmpty } from '../../spec/field-types.ts';

/** Mounted volumes on partitions and disks, by volume. */
export const mountStatuses = defineKind({
  type: 'MountStatuses.runtime.talos.dev',
  defaultNamespace: 'runtime',
  aliases: ['mounts'],
  skipAutomaticAliases: true,
  printColumns: {
    Source: '{.source}',
    Target: '{.target}',
    'Filesystem Type': '{.filesystemType}',
  },
  spec: {
    source: field(1, text),
    target: field(2, text),
    filesystemType: field(3, text),
    options: field(4, list(text)),
    encrypted: field(5, bool),
    /** Types of the encryption keys. */
    encryptionProviders: unlessEmpty(6, list(text)),
  },
});
export type MountStatusSpec = SpecOf<typeof mountStatuses>;
