import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, text } from '../../spec/field-types.ts';

/** Objects of manifests that a control plane could not apply or delete, and manifests that it could not read. */
export const manifestProblems = defineKind({
  type: 'ManifestProblems.controlplane.nodewright.dev',
  defaultNamespace: 'controlplane',
  printColumns: {
    Manifest: '{.manifest}',
    Object: '{.object}',
    Message: '{.message}',
  },
  spec: {
    /** ID of the manifest; empty for an object that left the configuration. */
    manifest: field(1, text),
    /** `<kind> <namespace>/<name>`; empty when the whole manifest cannot be read. */
    object: field(2, text),
    message: field(3, text),
  },
});
export type ManifestProblemSpec = SpecOf<typeof manifestProblems>;
