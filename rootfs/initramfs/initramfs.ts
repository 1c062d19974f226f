import { constants, zstdCompressSync } from 'node:zlib';
import { cpioArchive } from './cpio-archive.ts';
import type { KernelModule } from './kernel-modules.ts';

/**
 * Makes the initramfs: the init, and the modules with the order in which it loads them.
 *
 * @param later names of modules that a child of the init loads, while the init goes on
 */
export function makeInitramfs(
  init: Buffer,
  modules: readonly KernelModule[],
  later: readonly string[],
): Buffer {
  const folders = ['dev', 'proc', 'sys', 'modules'].map((path) => ({ path, mode: 0o755 }));
  const isLater = ({ file }: KernelModule) => later.some((name) => file.startsWith(`${name}.`));
  const order = modules.map((module) => `${isLater(module) ? '&' : ''}${module.file}\n`).join('');
  const archive = cpioArchive([
    { path: 'init', mode: 0o755, content: init },
    ...folders,
    { path: 'modules/order', mode: 0o644, content: Buffer.from(order) },
    ...modules.map(({ file, content }) => ({ path: `modules/${file}`, mode: 0o644, content })),
  ]);
  // The kernel refuses an initramfs that does not have this checksum.
  return zstdCompressSync(archive, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
}
