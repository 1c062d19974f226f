import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, text } from '../../spec/field-types.ts';

/** Kernel parameters to set, with IDs `proc.sys.<name>` or `sys.<path>`. */
export const kernelParamSpecs = defineKind({
  type: 'KernelParamSpecs.runtime.talos.dev',
  defaultNamespace: 'runtime',
  spec: {
    value: field(1, text),
    /** If the parameter does not exist, report it as unsupported instead of failing. */
    ignoreErrors: field(2, bool),
  },
});
export type KernelParamSpecSpec = SpecOf<typeof kernelParamSpecs>;

/** Default kernel parameters of every node, with IDs of the same form. */
export const kernelParamDefaultSpecs = defineKind({
  type: 'KernelParamDefaultSpecs.runtime.talos.dev',
  defaultNamespace: 'runtime',
  spec: {
    value: field(1, text),
    ignoreErrors: field(2, bool),
  },
});
export type KernelParamDefaultSpecSpec = SpecOf<typeof kernelParamDefaultSpecs>;

/** Kernel parameters that were set, with their previous values. */
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
    /** Value before the parameter was set. */
    default: field(2, text),
    unsupported: field(3, bool),
  },
});
export type KernelParamStatusSpec = SpecOf<typeof kernelParamStatuses>;
