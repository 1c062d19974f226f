import { join } from 'node:path';
import type { MountedPartition } from '../../base/host/mounted-partition.ts';

/** The folder of a slot on the partition BOOT, which is mounted while it is used only. */
export interface BootPartition {
  /** @param work gets the folder of the slot. It must end all of its accesses */
  read<T>(work: (folder: string) => Promise<T>): Promise<T>;
  /** @param work also gets a function that returns once the disk has what was written so far; no file may be open for writing then */
  write<T>(work: (folder: string, flush: () => void) => Promise<T>): Promise<T>;
}

/** @param slot the folder of the image that the machine runs */
export const slotOn = (boot: MountedPartition, slot: string): BootPartition => ({
  read: (work) => boot.read((folder) => work(join(folder, slot))),
  write: (work) => boot.write((folder, flush) => work(join(folder, slot), flush)),
});
