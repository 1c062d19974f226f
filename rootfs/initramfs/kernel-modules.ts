import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const suffix = '.ko.xz';
const maximumModuleBytes = 1 << 26;

/** A kernel module as the kernel's package contains it: compressed with xz, and signed. */
export interface KernelModule {
  /** Name of the file. */
  readonly file: string;
  /** Below the folder of the kernel's modules. */
  readonly path: string;
  /** Names of the files that it needs itself. */
  readonly needs: readonly string[];
  /** Patterns of the devices that it drives, as in `modules.alias`. */
  readonly aliases: readonly string[];
  readonly content: Buffer;
}

/**
 * The named modules and those that they depend on, in an order in which they can be loaded. What is part of the kernel is left out.
 *
 * @param folder the unpacked package of a kernel
 * @throws Error that names a module that the kernel does not have
 */
export function selectModules(folder: string, names: readonly string[]): KernelModule[] {
  const paths = new Map(
    globSync(`usr/lib/modules/*/kernel/**/*${suffix}`, { cwd: folder }).map((path) => [
      plainName(basename(path, suffix)),
      path,
    ]),
  );
  const builtIn = new Set(
    globSync('usr/lib/modules/*/modules.builtin', { cwd: folder })
      .flatMap((path) => readFileSync(join(folder, path), 'utf8').split('\n'))
      .map((path) => plainName(basename(path, '.ko'))),
  );
  const isModule = (name: string) => paths.has(plainName(name)) || !builtIn.has(plainName(name));
  const pathOf = (name: string) => {
    const path = paths.get(plainName(name));
    if (path === undefined) throw new Error(`the kernel has no module ${name}`);
    return path;
  };
  const facts = new Map<string, { readonly needs: string[]; readonly aliases: string[] }>();
  const factsOf = (name: string) => {
    const known = facts.get(name);
    if (known !== undefined) return known;
    const content = execFileSync('xz', ['-dc', join(folder, pathOf(name))], {
      maxBuffer: maximumModuleBytes,
    });
    // Some are no modules, but what the kernel asks for by name, such as an algorithm.
    const before = softDependenciesOf(content).filter((each) => paths.has(plainName(each)));
    const found = { needs: [...dependenciesOf(content), ...before], aliases: aliasesOf(content) };
    facts.set(name, found);
    return found;
  };
  return loadOrder(names.filter(isModule), (name) => factsOf(name).needs).map((name) => {
    const path = pathOf(name);
    return {
      file: basename(path),
      path: path.split('/').slice(4).join('/'),
      needs: factsOf(name).needs.map((need) => basename(pathOf(need))),
      aliases: factsOf(name).aliases,
      content: readFileSync(join(folder, path)),
    };
  });
}

/** Whether an unpacked kernel has a module of this name as a file. */
export const hasModule = (folder: string, name: string): boolean =>
  globSync(`usr/lib/modules/*/kernel/**/*${suffix}`, { cwd: folder }).some(
    (path) => plainName(basename(path, suffix)) === plainName(name),
  );

/** The kernel uses names with a dash and with an underscore for the same module. */
export const plainName = (name: string) => name.replaceAll('-', '_');

/** Each name once, after all names that it depends on. Modules do not depend on each other in a circle. */
export function loadOrder(
  names: readonly string[],
  dependencies: (name: string) => readonly string[],
): string[] {
  return inOrder(names.map(plainName), (name) => dependencies(name).map(plainName));
}

/** Each item once, after all that it depends on, directly or not. */
export function inOrder(
  items: readonly string[],
  dependencies: (item: string) => readonly string[],
): string[] {
  const order = new Set<string>();
  const add = (item: string) => {
    if (order.has(item)) return;
    for (const dependency of dependencies(item)) add(dependency);
    order.add(item);
  };
  for (const item of items) add(item);
  return [...order];
}

/** The names after `depends=` in the section `.modinfo` of a module. */
export function dependenciesOf(module: Buffer): string[] {
  return valuesOf(module, 'depends').flatMap((text) => text.split(',').filter((name) => name !== ''));
}

/**
 * The names after `softdep=pre:`: modules whose symbols it does not use, but without which it does not work, such as the driver of the other
 * half of a network device. Source: modprobe.d(5).
 */
function softDependenciesOf(module: Buffer): string[] {
  return valuesOf(module, 'softdep').flatMap((text) => {
    const [, before = ''] = /(?:^|\s)pre:(.*?)(?=\spost:|$)/.exec(text) ?? [];
    return before.split(' ').filter((name) => name !== '');
  });
}

/** The patterns after `alias=` in the same section: the devices that the module drives. */
const aliasesOf = (module: Buffer): string[] => valuesOf(module, 'alias');

/** The values of a key in the section `.modinfo` of a module. */
function valuesOf(module: Buffer, key: string): string[] {
  const head = `\0${key}=`;
  const values: string[] = [];
  for (let at = module.indexOf(head); at >= 0; at = module.indexOf(head, at + 1)) {
    const from = at + head.length;
    values.push(module.toString('latin1', from, module.indexOf(0, from)));
  }
  return values;
}
