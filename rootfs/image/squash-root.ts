import { rmSync } from 'node:fs';
import type { LockedTools } from '../debian/locked-tools.ts';

/** Blocks of 1 MiB are 3.6 MB smaller, but a boot takes two seconds more: reading one page decompresses the whole block. */
const blockBytes = 1 << 18;
/** A tenth larger than with xz, and a boot is seconds faster: `rootfs/README.md` has the figures. */
const compression = ['-comp', 'zstd', '-Xcompression-level', '19'];

export interface SquashRootInit {
  readonly root: string;
  /** The file to write; an existing one is replaced. */
  readonly target: string;
  readonly tools: LockedTools;
  /** Unix time of every file and of the file system itself. */
  readonly epochSeconds: number;
}

/**
 * Writes a folder as a squashfs whose bytes depend only on its contents: names in alphabetical order, one time, root as
 * the only owner, no extended attributes.
 *
 * @throws Error with the tool's message
 */
export function squashRoot({ root, target, tools, epochSeconds }: SquashRootInit): void {
  rmSync(target, { force: true });
  const time = String(epochSeconds);
  const options = [
    ...['-noappend', '-no-progress', '-quiet', '-reproducible', '-all-root', '-no-xattrs', '-no-exports'],
    ...['-mkfs-time', time, '-all-time', time, ...compression, '-b', String(blockBytes), '-mem', '1G'],
  ];
  // Set in the environment, this variable contradicts the options.
  tools.run('usr/bin/mksquashfs', [root, target, ...options], { env: { SOURCE_DATE_EPOCH: undefined } });
}
