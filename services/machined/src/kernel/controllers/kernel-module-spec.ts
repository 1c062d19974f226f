import { serviceIds } from '@nodewright/contract';
import { type Controller, shared, strong, weak } from '@nodewright/controllers';
import { Fault, faultFrom } from '@nodewright/fault';
import {
  type LoadModuleFile,
  moduleLoadOrder,
  parseBuiltinModules,
  parseModuleFiles,
  parseModuleList,
} from '@nodewright/linux';
import { pointerTo } from '@nodewright/state';
import { diagnostics, kernelModuleSpecs, services } from '@nodewright/state/kinds';
import type { ReadIfThere } from '../../base/domain/read-if-there.ts';
import { missingModules } from '../domain/missing-modules.ts';

export interface KernelModuleSpecInit {
  readonly read: ReadIfThere;
  readonly load: LoadModuleFile;
  /** Folder of the kernel's modules. */
  readonly folder: string;
  /** File with the modules that containers need: nothing in the root can load a module when the kernel asks for it. */
  readonly containerModules: string;
}

/** A module that makes a link when it is loaded would take a name that a specification of the network may want. */
const withoutLinks: Readonly<Record<string, string>> = { dummy: 'numdummies=0' };

/**
 * Loads the modules of the configuration, and those that containers need once containerd runs: they take a second or
 * more, and the API starts first. Parameters count when a module is loaded, so changed ones wait for the next boot. A module that the
 * image lacks is a diagnostic; one that cannot be loaded is tried again.
 */
export function kernelModuleSpecController(init: KernelModuleSpecInit): Controller {
  const { read, load, folder, containerModules } = init;
  const loaded = new Set<string>();
  const textOf = (path: string) => read(path)?.toString() ?? '';
  return {
    name: 'runtime.KernelModuleSpecController',
    inputs: [strong(kernelModuleSpecs), weak(services, serviceIds.cri)],
    outputs: [shared(diagnostics)],
    async reconcile(pass) {
      const wanted = (await pass.list(kernelModuleSpecs))
        .filter(({ metadata }) => metadata.phase === 'running')
        .map(({ spec }) => ({ name: spec.string, parameters: spec.parameters.join(' ') }));
      const isContainerdUp = (await pass.get(pointerTo(services, serviceIds.cri))) !== undefined;
      const needed = isContainerdUp ? parseModuleList(textOf(containerModules)) : [];
      wanted.push(...needed.map((name) => ({ name, parameters: withoutLinks[name] ?? '' })));
      const missing = wanted.filter(({ name }) => !loaded.has(name));
      if (missing.length === 0) {
        await pass.replace(diagnostics, []);
        return;
      }
      const files = parseModuleFiles(textOf(`${folder}/modules.dep`));
      const builtin = new Set(parseBuiltinModules(textOf(`${folder}/modules.builtin`)));
      const failures: string[] = [];
      const lacking: string[] = [];
      for (const { name, parameters } of missing) {
        const paths = builtin.has(name.replaceAll('-', '_')) ? [] : moduleLoadOrder(files, name);
        if (paths === undefined) {
          lacking.push(name);
          continue;
        }
        try {
          for (const path of paths) await load(path, path === paths.at(-1) ? parameters : '');
          loaded.add(name);
        } catch (error) {
          failures.push(`${name}: ${faultFrom(error).message}`);
        }
      }
      await pass.replace(diagnostics, missingModules(lacking));
      if (failures.length > 0)
        throw new Fault('failed-precondition', `kernel modules cannot be loaded: ${failures.join(', ')}`);
    },
  };
}
