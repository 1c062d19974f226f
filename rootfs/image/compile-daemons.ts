import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Architecture } from '@nodewright/build';
import { bundles, compileProgram, daemonV8Flags } from '@nodewright/build/bundles';
import { daemons, loaders, triplets } from '../recipe.ts';
import type { Entry } from './place-files.ts';

export interface CompileDaemonsInit {
  readonly root: string;
  readonly architecture: Architecture;
  /** The program that starts a daemon with its compiled code. */
  readonly starter: string;
}

/**
 * Compiles the functions that every start of a daemon runs, or all of them, with Node.js of the root, and puts the program that uses
 * them in the daemon's place. The same bundles give the same bytes, wherever the root is.
 *
 * @returns the new files, and those whose size has changed
 * @throws Error with the output of a daemon that does not start
 */
export function compileDaemons({ root, architecture, starter }: CompileDaemonsInit): Entry[] {
  const libraries = join(root, 'usr/lib', triplets[architecture]);
  const loader = join(libraries, loaders[architecture].name);
  return daemons.flatMap((daemon) => {
    const folder = `usr/lib/nodewright/${daemon}`;
    const files = compileProgram({
      folder: join(root, folder),
      name: daemon,
      starter,
      node: [loader, '--library-path', libraries, join(root, 'usr/bin/node')],
      v8Flags: daemonV8Flags[daemon],
      compilesAll: bundles.find(({ name }) => name === daemon)?.compilesAll,
      runsIn: `/${folder}`,
    });
    return files.map((file) => {
      const path = `${folder}/${file}`;
      return { path, bytes: statSync(join(root, path)).size, part: daemon };
    });
  });
}
