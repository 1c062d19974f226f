import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loaders, triplets } from '../recipe.ts';
import type { LockedTools } from './locked-tools.ts';

/**
 * Makes a C compiler of the locked packages that other programs can call by one path, and returns that path. It finds
 * its parts, headers and libraries in the packages alone, because those of the machine would make another program.
 *
 * @param folder receives the commands; it must not exist
 */
export function openCompiler(tools: LockedTools, folder: string): string {
  const root = tools.path('.');
  const triplet = triplets[tools.architecture];
  const libraries = tools.path(`usr/lib/${triplet}`);
  const loader = join(libraries, loaders[tools.architecture].name);
  // The C library is found at the places of a merged /usr, which no package makes.
  for (const name of ['lib', 'lib64']) {
    if (!existsSync(tools.path(name))) symlinkSync(`usr/${name}`, tools.path(name));
  }
  mkdirSync(folder);
  const command = (name: string, program: string, ...options: string[]): string => {
    const words = [loader, '--library-path', libraries, tools.path(program), ...options].map(quote).join(' ');
    const path = join(folder, name);
    // The environment is empty, because variables such as CPATH add folders of the machine.
    const clean = `env -i LC_ALL=C PATH=${quote(folder)} TMPDIR="\${TMPDIR:-/tmp}"`;
    writeFileSync(path, `#!/bin/sh\n${name === 'cc' ? `exec ${clean}` : 'exec'} ${words} "$@"\n`);
    chmodSync(path, 0o755);
    return path;
  };
  // The driver calls these by name. They cannot start by themselves on a machine with an older C library.
  for (const name of ['cc1', 'collect2']) command(name, `usr/libexec/gcc/${triplet}/14/${name}`);
  command('as', `usr/bin/${triplet}-as`);
  command('ld', `usr/bin/${triplet}-ld.bfd`);
  return command('cc', `usr/bin/${triplet}-gcc-14`, `--sysroot=${root}`, `-B${folder}/`);
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
