import { constants, zstdCompressSync } from 'node:zlib';
import { cpioArchive } from './cpio-archive.ts';
import type { KernelModule } from './kernel-modules.ts';

/** What `loadModules` in `init/init.c` has room for: it ignores modules, and cuts names and the list, above these. */
const [mostModules, longestName, longestList] = [128, 63, 8191];

export interface InitramfsModules {
  readonly now: readonly KernelModule[];
  /** Modules that a child of the init loads, while the init goes on. */
  readonly later: readonly KernelModule[];
  /** Modules that the init knows by their names, and loads when it needs them. */
  readonly unlisted: readonly KernelModule[];
}

/**
 * Makes the initramfs: the init, and the modules with the order in which it loads them.
 *
 * @throws Error when the init has no room for the modules
 */
export function makeInitramfs(init: Buffer, { now, later, unlisted }: InitramfsModules): Buffer {
  const folders = ['dev', 'proc', 'sys', 'modules'].map((path) => ({ path, mode: 0o755 }));
  const order = [...now.map(({ file }) => file), '&', ...later.map(({ file }) => file)];
  const list = `${order.join('\n')}\n`;
  const long = order.find((file) => file.length > longestName);
  const count = now.length + later.length;
  if (count > mostModules) throw new Error(`there are ${count} modules, but the init reads ${mostModules}`);
  if (long !== undefined) throw new Error(`${long} is longer than ${longestName} characters`);
  if (list.length > longestList) throw new Error(`the list of modules is longer than ${longestList} bytes`);
  const archive = cpioArchive([
    { path: 'init', mode: 0o755, content: init },
    ...folders,
    { path: 'modules/order', mode: 0o644, content: Buffer.from(list) },
    ...[...now, ...later, ...unlisted].map(({ file, content }) => ({
      path: `modules/${file}`,
      mode: 0o644,
      content,
    })),
  ]);
  // The kernel refuses an initramfs that does not have this checksum.
  return zstdCompressSync(archive, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
}
