import { decodeTable, metaPartitionBytes, sectorBytes, tableHeadBytes } from '@nodewright/disk';
import type { BlockDisk } from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';
import type { BlockPort } from './block-port.ts';
import { SystemDisk } from './system-disk.ts';

/** Devices that the kernel makes from files or from other devices. */
const madeByKernel = /^(loop|ram|zram|dm-|md|nbd|sr|fd)/;

/**
 * The disk that holds META, a partition of exactly one MiB; undefined when there is none. Of several, the first by name is
 * taken, and the others are named in a warning.
 */
export async function findSystemDisk(
  port: BlockPort,
  disks: readonly BlockDisk[],
  log: Logger,
): Promise<SystemDisk | undefined> {
  const found: SystemDisk[] = [];
  for (const { name, devicePath: path, sizeBytes, sectorBytes: logicalBytes } of disks) {
    if (madeByKernel.test(name)) continue;
    try {
      const table = decodeTable(await port.read(path, 0, tableHeadBytes));
      const meta = table?.partitions.find(
        ({ label, first, last }) =>
          label === 'META' && (last - first + 1) * sectorBytes === metaPartitionBytes,
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
    found.push(new SystemDisk({ port, path, sectors: Number(sizeBytes) / sectorBytes }));
  }
  const [first, ...others] = found;
  if (others.length > 0)
    log.warn(
      { used: first?.path, ignored: others.map(({ path }) => path) },
      'several disks have a partition META: only the first is used',
    );
  return first;
}
