import type { CpioFile } from '../../../rootfs/initramfs/cpio-archive.ts';

const headerBytes = 110;
const folderBit = 0o040_000;

/**
 * The files of an archive that is not compressed, in their order. Source: Linux, initramfs buffer format.
 *
 * @throws Error for another archive
 */
export function readCpio(archive: Buffer): CpioFile[] {
  const files: CpioFile[] = [];
  const padded = (bytes: number) => Math.ceil(bytes / 4) * 4;
  for (let at = 0; ; ) {
    const head = archive.toString('latin1', at, at + headerBytes);
    if (!/^070701[0-9a-f]{104}$/i.test(head)) throw new Error('this is no archive of an initramfs');
    const number = (index: number) => Number.parseInt(head.slice(6 + 8 * index, 14 + 8 * index), 16);
    const [type, bytes, nameBytes] = [number(1), number(6), number(11)];
    const path = archive.toString('latin1', at + headerBytes, at + headerBytes + nameBytes - 1);
    if (path === 'TRAILER!!!') return files;
    const begin = at + padded(headerBytes + nameBytes);
    const mode = type & 0o7777;
    const isFolder = (type & 0o170_000) === folderBit;
    files.push(isFolder ? { path, mode } : { path, mode, content: archive.subarray(begin, begin + bytes) });
    at = begin + padded(bytes);
  }
}
