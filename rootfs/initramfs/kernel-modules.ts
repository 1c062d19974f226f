import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const suffix = '.ko.xz';
const maximumModuleBytes = 1 << 26;

/** A kernel module as the kernel's package contains it: compressed with xz, and signed. */
export interface KernelModule {
  /** Name of the file. */
  readonly file: string;
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
      join(folder, path),
    ]),
  );
  return loadOrder(names, (name) => {
    const path = paths.get(plainName(name));
    if (path === undefined) throw new Error(`the kernel has no module ${name}`);
    return dependenciesOf(execFileSync('xz', ['-dc', path], { maxBuffer: maximumModuleBytes }));
  }).map((name) => {
    const path = paths.get(name) as string;
    return { file: basename(path), content: readFileSync(path) };
  });
}

/** The kernel uses names with a dash and with an underscore for the same module. */
const plainName = (name: string) => name.replaceAll('-', '_');

/** Each name once, after all names that it depends on. Modules do not depend on each other in a circle. */
export function loadOrder(
  names: readonly string[],
  dependencies: (name: string) => readonly string[],
): string[] {
  const order = new Set<string>();
  const add = (name: string) => {
    if (order.has(name)) return;
    for (const dependency of dependencies(name)) add(plainName(dependency));
    order.add(name);
  };
  for (const name of names) add(plainName(name));
  return [...order];
}

/** The names after `depends=` in the section `.modinfo` of a module. */
function dependenciesOf(module: Buffer): string[] {
  const begin = module.indexOf('\0depends=');
  if (begin < 0) return [];
  const from = begin + '\0depends='.length;
  return module
    .toString('latin1', from, module.indexOf(0, from))
    .split(',')
    .filter((name) => name !== '');
}
