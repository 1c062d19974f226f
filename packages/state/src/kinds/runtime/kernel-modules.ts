import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, int, list, text, unlessEmpty } from '../../spec/field-types.ts';
import { kernelModuleState, kernelModuleType } from './enumerations.ts';

/** All kernel modules, including built-in ones, by name. */
export const kernelModuleStatuses = defineKind({
  type: 'KernelModuleStatuses.runtime.talos.dev',
  defaultNamespace: 'runtime',
  aliases: ['module', 'modules'],
  printColumns: {
    Type: '{.type}',
    State: '{.state}',
  },
  spec: {
    type: field(1, kernelModuleType),
    /** Bytes. */
    size: field(2, int),
    referenceCount: field(3, int),
    dependencies: unlessEmpty(4, list(text)),
    state: field(5, kernelModuleState),
    address: field(6, text),
  },
});
export type KernelModuleStatusSpec = SpecOf<typeof kernelModuleStatuses>;

/** Kernel modules to load, by name. */
export const kernelModuleSpecs = defineKind({
  type: 'KernelModuleSpecs.runtime.talos.dev',
  defaultNamespace: 'runtime',
  spec: {
    /** Name of the module. */
    string: field(1, text),
    parameters: field(2, list(text)),
  },
});
export type KernelModuleSpecSpec = SpecOf<typeof kernelModuleSpecs>;

/** Modules in `/proc/modules`, by name. */
export const loadedKernelModules = defineKind({
  type: 'LoadedKernelModules.runtime.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    State: '{.state}',
  },
  spec: {
    size: field(1, int),
    referenceCount: field(2, int),
    dependencies: unlessEmpty(3, list(text)),
    /** State as reported by the kernel, such as `Live`. */
    state: field(4, text),
    address: field(5, text),
  },
});
export type LoadedKernelModuleSpec = SpecOf<typeof loadedKernelModules>;
