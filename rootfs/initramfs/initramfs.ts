import { constants, zstdCompressSync } from 'node:zlib';
import { cpioArchive } from './cpio-archive.ts';
import type { KernelModule } from './kernel-modules.ts';

/** Makes the initramfs: the init, and the modules with the order in which it loads them. */
export function makeInitramfs(init: Buffer, modules: readonly KernelModule[]): Buffer {
  const folders = ['dev', 'proc', 'sys', 'modules'].map((path) => ({ path, mode: 0o755 }));
  const order = modules.map(({ file }) => `${file}\n`).join('');
  const archive = cpioArchive([
    { path: 'init', mode: 0o755, content: init },
    ...folders,
    { path: 'modules/order', mode: 0o644, content: Buffer.from(order) },
    ...modules.map(({ file, content }) => ({ path: `modules/${file}`, mode: 0o644, content })),
  ]);
  // The kernel refuses an initramfs that does not have this checksum.
  return zstdCompressSync(archive, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
}
