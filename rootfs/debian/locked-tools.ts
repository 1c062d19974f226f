import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Architecture } from '@nodewright/build';
import { loaders, triplets } from '../recipe.ts';

/** Programs of locked packages, which run on a machine that need not have them. */
export interface LockedTools {
  readonly architecture: Architecture;
  /** The path of a file of the packages, such as `usr/sbin/mke2fs`. */
  readonly path: (relative: string) => string;
  /**
   * Runs a program with the loader and the libraries of the locked packages, because another version would write other
   * bytes. Returns its output.
   *
   * @param env variables that are set besides those of this process; the value undefined removes one
   * @throws Error with the tool's message
   */
  readonly run: (
    program: string,
    args: readonly string[],
    options?: { readonly cwd?: string; readonly env?: Readonly<Record<string, string | undefined>> },
  ) => Buffer;
}

/** Opens the tools whose packages are unpacked in `folder`. `architecture` is that of this machine. */
export function openTools(folder: string, architecture: Architecture): LockedTools {
  const libraries = join(folder, 'usr/lib', triplets[architecture]);
  const loader = join(libraries, loaders[architecture].name);
  const path = (relative: string) => join(folder, relative);
  return {
    architecture,
    path,
    run(program, args, { cwd, env = {} } = {}) {
      if (!existsSync(path(program))) throw new Error(`the locked packages have no ${program}`);
      const words = ['--library-path', libraries, path(program), ...args];
      return execFileSync(loader, words, {
        ...(cwd === undefined ? {} : { cwd }),
        env: { ...process.env, LC_ALL: 'C', TZ: 'UTC', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        maxBuffer: 1 << 28,
      });
    },
  };
}
