import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, text } from '../../spec/field-types.ts';

/** Parameters to be set, under `proc.sys.<name>` or `sys.<path>`. */
export const kernelParamSpecs = defineKind({
  type: 'KernelParamSpecs.runtime.talos.dev',
  defaultNamespace: 'runtime',
  spec: {
    value: field(1, text),
    /** Where it cannot be set it is unsupported, which is no failure. */
    ignoreErrors: field(2, bool),
  },
});
export type KernelParamSpecSpec = SpecOf<typeof kernelParamSpecs>;

/** Parameters that every node sets, under the ids of the others. */
export const kernelParamDefaultSpecs = defineKind({
  type: 'KernelParamDefaultSpecs.runtime.talos.dev',
  defaultNamespace: 'runtime',
  spec: {
    value: field(1, text),
    ignoreErrors: field(2, bool),
  },
});
export type KernelParamDefaultSpecSpec = SpecOf<typeof kernelParamDefaultSpecs>;

/** Parameters that were set, with the value before. */
export const kernelParamStatuses = defineKind({
  type: 'KernelParamStatuses.runtime.talos.dev',
  defaultNamespace: 'runtime',
  aliases: ['sysctls', 'kernelparameters', 'kernelparams'],
  printColumns: {
    Current: '{.current}',
    Default: '{.default}',
    Unsupported: '{.unsupported}',
  },
  spec: {
    current: field(1, text),
    /** As it was before it was set. */
    default: field(2, text),
    unsupported: field(3, bool),
  },
});
export type KernelParamStatusSpec = SpecOf<typeof kernelParamStatuses>;
