import { execFileSync } from 'node:child_process';
import { copyFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Architecture } from '../../tools/images/architecture.ts';
import { daemons, daemonV8Flags, loaders, triplets } from '../recipe.ts';
import type { Entry } from './place-files.ts';

export interface CompileDaemonsInit {
  readonly root: string;
  readonly architecture: Architecture;
  /** The program that starts a daemon with its compiled code. */
  readonly starter: string;
}

/**
 * Compiles the functions that every start of a daemon runs, with Node.js of the root, and puts the program that uses
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
    const [start, program, code] = ['cjs', 'program.cjs', 'code'].map(
      (end) => `${folder}/${daemon}.${end}`,
    ) as [string, string, string];
    renameSync(join(root, start), join(root, program));
    copyFileSync(starter, join(root, start));
    const words = [
      ...['--library-path', libraries, join(root, 'usr/bin/node')],
      // The hashes of strings are part of the code, and threads of V8 may compile more or less until the daemon ends. These two
      // do not count as flags when the code is read.
      ...['--random-seed=1', '--predictable', ...daemonV8Flags[daemon], join(root, start), '--version'],
    ];
    const env = { WRITE_CODE_TO: join(root, code), COMPILE_AS: `/${program}` };
    execFileSync(loader, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    return [start, program, code].map((path) => ({
      path,
      bytes: statSync(join(root, path)).size,
      part: daemon,
    }));
  });
}
