import { type Controller, exclusive } from '@nodewright/controllers';
import { parseBuiltinModules } from '@nodewright/linux';
import { kernelModuleStatuses, loadedKernelModules } from '@nodewright/state/kinds';
import type { ReadIfThere } from '../../base/domain/read-if-there.ts';
import { loadedModuleSpec, moduleStatuses, parseModules } from '../domain/kernel-modules.ts';

/** How often the list of modules is read. */
const periodMs = 30_000;
/** A machine has hundreds of modules, and nothing waits for them, so the API starts first. */
const firstLookMs = 500;

/**
 * The modules of the kernel.
 *
 * @param kernelRelease output of `uname -r`, which is part of the path of the list of built-in modules
 */
export function kernelModuleStatusController(read: ReadIfThere, kernelRelease: string): Controller {
  let shown: string | undefined;
  let firstLookAtMs: number | undefined;
  return {
    name: 'runtime.KernelModuleStatusController',
    inputs: [],
    outputs: [exclusive(kernelModuleStatuses), exclusive(loadedKernelModules)],
    async reconcile(pass) {
      firstLookAtMs ??= pass.monotonicMs() + firstLookMs;
      const waitMs = firstLookAtMs - pass.monotonicMs();
      pass.wakeAfter(waitMs > 0 ? waitMs : periodMs);
      if (waitMs > 0) return;
      const text = read('/proc/modules')?.toString() ?? '';
      if (text === shown) return;
      const loaded = parseModules(text);
      const builtin = parseBuiltinModules(
        read(`/lib/modules/${kernelRelease}/modules.builtin`)?.toString() ?? '',
      );
      await pass.replace(kernelModuleStatuses, moduleStatuses(loaded, builtin));
      await pass.replace(
        loadedKernelModules,
        loaded.map((module) => ({ id: module.name, spec: loadedModuleSpec(module) })),
      );
      shown = text;
    },
  };
}
