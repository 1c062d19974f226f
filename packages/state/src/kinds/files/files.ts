import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, mode, text, textBytes } from '../../spec/field-types.ts';

/** Files that should be in `/etc`, by path below it. They may hold secrets. */
export const etcFileSpecs = defineKind({
  type: 'EtcFileSpecs.files.talos.dev',
  defaultNamespace: 'files',
  isSensitive: true,
  spec: {
    contents: field(1, textBytes),
    /** Decimal file mode. */
    mode: field(2, mode),
    selinux_label: field(3, text),
  },
});
export type EtcFileSpecSpec = SpecOf<typeof etcFileSpecs>;

/** Which version of each file in `/etc` is written. */
export const etcFileStatuses = defineKind({
  type: 'EtcFileStatuses.files.talos.dev',
  defaultNamespace: 'files',
  spec: {
    /** Version of the applied EtcFileSpec. */
    specVersion: field(1, text),
  },
});
export type EtcFileStatusSpec = SpecOf<typeof etcFileStatuses>;
