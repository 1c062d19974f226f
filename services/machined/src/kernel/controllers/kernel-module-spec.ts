import { serviceIds } from '@nodewright/contract';
import { type Controller, type ReconcilePass, shared, strong, weak } from '@nodewright/controllers';
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
  const readFiles = () => ({
    order: parseModuleFiles(textOf(`${folder}/modules.dep`)),
    builtin: new Set(parseBuiltinModules(textOf(`${folder}/modules.builtin`))),
  });
  type ModuleFiles = ReturnType<typeof readFiles>;
  return {
    name: 'runtime.KernelModuleSpecController',
    inputs: [strong(kernelModuleSpecs), weak(services, serviceIds.cri)],
    outputs: [shared(diagnostics)],
    async reconcile(pass) {
      const isContainerdUp = (await pass.get(pointerTo(services, serviceIds.cri))) !== undefined;
      const needed = isContainerdUp ? parseModuleList(textOf(containerModules)) : [];
      const ofContainers = needed
        .map((name) => ({ name, parameters: withoutLinks[name] ?? '' }))
        .filter(({ name }) => !loaded.has(name));
      let files: ModuleFiles | undefined;
      const failures: string[] = [];
      const lacking: string[] = [];
      const tried = new Set<string>();
      for (;;) {
        // Those of containers are many, and a slow machine needs a minute for them: a link that waits for its module goes first.
        const asked = (await configured(pass)).filter(({ name }) => !loaded.has(name) && !tried.has(name));
        const next = asked[0] ?? ofContainers.shift();
        if (next === undefined) break;
        const { name, parameters } = next;
        if (tried.has(name)) continue;
        tried.add(name);
        files ??= readFiles();
        const paths = files.builtin.has(name.replaceAll('-', '_')) ? [] : moduleLoadOrder(files.order, name);
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

/** The modules that the configuration and links ask for. */
async function configured(pass: ReconcilePass) {
  const specs = await pass.list(kernelModuleSpecs);
  return specs
    .filter(({ metadata }) => metadata.phase === 'running')
    .map(({ spec }) => ({ name: spec.string, parameters: spec.parameters.join(' ') }));
}
