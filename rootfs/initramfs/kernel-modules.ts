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
  readonly content: Buffer;
}

/**
 * The named modules and those that they depend on, in an order in which they can be loaded.
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
  const pathOf = (name: string) => {
    const path = paths.get(plainName(name));
    if (path === undefined) throw new Error(`the kernel has no module ${name}`);
    return path;
  };
  const needed = new Map<string, string[]>();
  const needs = (name: string) => {
    const known = needed.get(name);
    if (known !== undefined) return known;
    const content = execFileSync('xz', ['-dc', join(folder, pathOf(name))], {
      maxBuffer: maximumModuleBytes,
    });
    const found = dependenciesOf(content);
    needed.set(name, found);
    return found;
  };
  return loadOrder(names, needs).map((name) => {
    const path = pathOf(name);
    return {
      file: basename(path),
      path: path.split('/').slice(4).join('/'),
      needs: needs(name).map((need) => basename(pathOf(need))),
      content: readFileSync(join(folder, path)),
    };
  });
}

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
  const begin = module.indexOf('\0depends=');
  if (begin < 0) return [];
  const from = begin + '\0depends='.length;
  return module
    .toString('latin1', from, module.indexOf(0, from))
    .split(',')
    .filter((name) => name !== '');
}
