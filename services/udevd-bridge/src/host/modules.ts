import { readFileSync } from 'node:fs';
import { release } from 'node:os';
import { Fault, faultFrom } from '@nodewright/fault';
import {
  createModuleLoader,
  type LoadModuleFile,
  moduleLoadOrder,
  parseBuiltinModules,
  parseModuleAliases,
  parseModuleFiles,
} from '@nodewright/linux';
import { deviceLimits } from '../domain/limits.ts';
import { planModules, type WantedModule } from '../domain/module-policy.ts';

/** Whether the kernel refuses modules without a valid signature. Source: Linux, module signing. */
const enforcementFile = '/sys/module/module/parameters/sig_enforce';
/** Under a lockdown it refuses them, too. */
const lockdownFile = '/sys/kernel/security/lockdown';

/**
 * Loads modules, one request after the other.
 *
 * @returns the names of the modules
 * @throws Fault as `planModules()`; `failed-precondition` for the first module that the kernel refuses, when all were tried
 */
export type LoadModules = (wanted: WantedModule) => Promise<readonly string[]>;

/** What loading needs of the kernel. */
export interface ModuleEffects {
  readonly load: LoadModuleFile;
  /** Whether the kernel refuses modules without a valid signature. */
  readonly refusesUnsigned: () => boolean;
}

/** @param folder of the kernel's modules */
export function createModules(
  folder = `/usr/lib/modules/${release()}`,
  { load, refusesUnsigned }: ModuleEffects = { load: createModuleLoader(folder), refusesUnsigned: enforces },
): LoadModules {
  let last: Promise<unknown> = Promise.resolve();
  // The root file system with the modules does not change while the machine runs, and each of its devices is looked up at its start.
  let known: ReturnType<typeof readModules> | undefined;

  async function loadNow(wanted: WantedModule): Promise<readonly string[]> {
    if (!refusesUnsigned())
      throw new Fault(
        'failed-precondition',
        'the kernel would load modules without a signature: boot it with module.sig_enforce=1',
      );
    known ??= readModules(folder);
    const { files } = known;
    const { names, toLoad } = planModules(wanted, known, deviceLimits.modulesPerModalias);
    let failure: Fault | undefined;
    // A device may have several modules, of which some refuse to run on this machine.
    for (const name of toLoad) {
      try {
        for (const path of moduleLoadOrder(files, name) ?? []) await load(path, '');
      } catch (error) {
        failure ??= new Fault(
          'failed-precondition',
          `module "${name}" cannot be loaded: ${faultFrom(error).message}`,
          { cause: error },
        );
      }
    }
    if (failure !== undefined) throw failure;
    return names;
  }

  return (wanted) => {
    const result = last.then(() => loadNow(wanted));
    last = result.catch(() => {});
    return result;
  };
}

function readModules(folder: string) {
  const aliases = textOf(`${folder}/modules.alias`);
  return {
    files: parseModuleFiles(textOf(`${folder}/modules.dep`) ?? ''),
    builtin: new Set(parseBuiltinModules(textOf(`${folder}/modules.builtin`) ?? '')),
    aliases: aliases === undefined ? undefined : parseModuleAliases(aliases),
  };
}

function enforces(): boolean {
  return (
    textOf(enforcementFile)?.trim() === 'Y' ||
    /\[(integrity|confidentiality)\]/.test(textOf(lockdownFile) ?? '')
  );
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
