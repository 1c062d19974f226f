import { constants, zstdCompressSync } from 'node:zlib';
import { cpioArchive } from './cpio-archive.ts';
import type { KernelModule } from './kernel-modules.ts';

/**
 * Makes the initramfs: the init, and the modules with the order in which it loads them.
 *
 * @param later modules that a child of the init loads, while the init goes on
 */
export function makeInitramfs(
  init: Buffer,
  now: readonly KernelModule[],
  later: readonly KernelModule[],
): Buffer {
  const folders = ['dev', 'proc', 'sys', 'modules'].map((path) => ({ path, mode: 0o755 }));
  const order = [...now.map(({ file }) => file), '&', ...later.map(({ file }) => file)];
  const archive = cpioArchive([
    { path: 'init', mode: 0o755, content: init },
    ...folders,
    { path: 'modules/order', mode: 0o644, content: Buffer.from(`${order.join('\n')}\n`) },
    ...[...now, ...later].map(({ file, content }) => ({ path: `modules/${file}`, mode: 0o644, content })),
  ]);
  // The kernel refuses an initramfs that does not have this checksum.
  return zstdCompressSync(archive, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
}
