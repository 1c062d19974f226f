import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Architecture } from '../../tools/images/architecture.ts';
import { loaders, triplets } from '../recipe.ts';

/** Large blocks compress better; a program of 100 MB is read at the start anyway. */
const blockBytes = 1 << 20;

export interface SquashRootInit {
  readonly root: string;
  /** The file to write; an existing one is replaced. */
  readonly target: string;
  /** The folder with the unpacked packages of `mksquashfs` and its libraries. */
  readonly tools: string;
  /** The architecture of this machine, which runs the tool. */
  readonly architecture: Architecture;
  /** Unix time of every file and of the file system itself. */
  readonly epochSeconds: number;
}

/**
 * Writes a folder as a squashfs whose bytes depend only on its contents: names in alphabetical order, one time, root as
 * the only owner, no extended attributes. The locked `mksquashfs` runs with its own loader and libraries, because
 * another version would write other bytes.
 *
 * @throws Error with the tool's message
 */
export function squashRoot({ root, target, tools, architecture, epochSeconds }: SquashRootInit): void {
  rmSync(target, { force: true });
  const libraries = join(tools, 'usr/lib', triplets[architecture]);
  const time = String(epochSeconds);
  const options = [
    ...['-noappend', '-no-progress', '-quiet', '-reproducible', '-all-root', '-no-xattrs', '-no-exports'],
    ...['-mkfs-time', time, '-all-time', time, '-comp', 'xz', '-b', String(blockBytes), '-mem', '1G'],
  ];
  const loader = join(libraries, loaders[architecture].name);
  const program = join(tools, 'usr/bin/mksquashfs');
  execFileSync(loader, ['--library-path', libraries, program, root, target, ...options], {
    // Set in the environment, this variable contradicts the options.
    env: { ...process.env, SOURCE_DATE_EPOCH: undefined },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}
