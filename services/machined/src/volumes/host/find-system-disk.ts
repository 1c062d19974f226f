import { volumeIds } from '@nodewright/contract/volumes';
import { decodeTable, metaPartitionBytes, sectorBytes, tableHeadBytes } from '@nodewright/disk';
import type { BlockDisk } from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';
import type { BlockPort } from './block-port.ts';
import type { DiskPlace } from './observe-disk.ts';

/** Devices that the kernel makes from files or from other devices. */
export const madeByKernel = /^(loop|ram|zram|dm-|md|nbd|sr|fd)/;

export type CandidateDisk = Pick<BlockDisk, 'name' | 'devicePath' | 'sizeBytes' | 'sectorBytes'>;

/**
 * The disk that holds META, a partition of exactly one MiB; undefined when no disk does. When several disks have META, a warning names
 * those that are not used.
 *
 * @param started path of the disk that the machine was started from: no other one is used. When it is unknown, the first disk with META,
 * by name, is used
 */
export async function findSystemDisk(
  port: BlockPort,
  disks: readonly CandidateDisk[],
  log: Pick<Logger, 'warn'>,
  started?: string,
): Promise<DiskPlace | undefined> {
  const found: DiskPlace[] = [];
  for (const { name, devicePath: path, sizeBytes, sectorBytes: logicalBytes } of disks) {
    if (madeByKernel.test(name)) continue;
    try {
      const table = decodeTable(await port.read(path, 0, tableHeadBytes));
      const meta = table?.partitions.find(
        ({ label, first, last }) =>
          label === volumeIds.meta && (last - first + 1) * sectorBytes === metaPartitionBytes,
      );
      if (meta === undefined) continue;
    } catch (error) {
      log.warn({ disk: path, error: String(error) }, 'the disk cannot be read');
      continue;
    }
    if (logicalBytes !== sectorBytes) {
      log.warn(
        { disk: path, sectorBytes: logicalBytes },
        'the disk is not used: its sectors have not 512 bytes',
      );
      continue;
    }
    found.push({ path, sectors: Number(sizeBytes) / sectorBytes });
  }
  const used = started === undefined ? found[0] : found.find(({ path }) => path === started);
  const ignored = found.filter((disk) => disk !== used).map(({ path }) => path);
  if (used !== undefined && ignored.length > 0)
    log.warn({ used: used.path, ignored }, 'several disks have a partition META: only one is used');
  return used;
}
