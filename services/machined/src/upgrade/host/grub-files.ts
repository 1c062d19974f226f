import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { BootFiles, GrubFiles } from '@nodewright/boot';
import { Fault, faultFrom } from '@nodewright/fault';
import type { MountedPartition } from '../../base/host/mounted-partition.ts';

/** The files of a partition, as boot loaders read them. */
export const bootFilesOn = (partition: Pick<MountedPartition, 'read'>): BootFiles => ({
  read: (path, offset, length) =>
    partition.read(async (folder) => {
      try {
        await using file = await open(join(folder, path));
        const buffer = Buffer.alloc(length);
        let used = 0;
        for (;;) {
          const { bytesRead } = await file.read(buffer, used, length - used, offset + used);
          used += bytesRead;
          if (bytesRead === 0 || used === length) return buffer.subarray(0, used);
        }
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
        throw new Fault(faultFrom(error).kind, `cannot read ${path}: ${faultFrom(error).message}`, {
          cause: error,
        });
      }
    }),
});

/**
 * The partition BOOT for GRUB. It is read-only whenever nothing writes to it, so the journal is empty before the bytes change, and again when
 * this returns.
 */
export const grubFilesOn = (boot: MountedPartition): GrubFiles => ({
  ...bootFilesOn(boot),
  overwrite: (path, bytes) =>
    boot.write(async (folder) => {
      await using file = await open(join(folder, path), 'r+');
      const { size } = await file.stat();
      if (size !== bytes.length)
        throw new Fault('failed-precondition', `${path} has ${size} bytes, and not ${bytes.length}`);
      await file.write(bytes, 0, bytes.length, 0);
      await file.sync();
    }),
});
