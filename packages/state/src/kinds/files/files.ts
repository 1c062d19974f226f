import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, mode, text, textBytes } from '../../spec/field-types.ts';

/** Desired files below `/etc`, by relative path. They may contain secrets. */
export const etcFileSpecs = defineKind({
  type: 'EtcFileSpecs.files.talos.dev',
  defaultNamespace: 'files',
  isSensitive: true,
  spec: {
    contents: field(1, textBytes),
    /** File mode, a decimal number in YAML. */
    mode: field(2, mode),
    selinux_label: field(3, text),
  },
});
export type EtcFileSpecSpec = SpecOf<typeof etcFileSpecs>;

/** Status of each file below `/etc`, by relative path. */
export const etcFileStatuses = defineKind({
  type: 'EtcFileStatuses.files.talos.dev',
  defaultNamespace: 'files',
  spec: {
    /** Version of the EtcFileSpec that was written. */
    specVersion: field(1, text),
  },
});
export type EtcFileStatusSpec = SpecOf<typeof etcFileStatuses>;
