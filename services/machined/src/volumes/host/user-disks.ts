import { decodeTable, tableHeadBytes } from '@nodewright/disk';
import { Fault, faultFrom } from '@nodewright/fault';
import type { BlockDisk } from '@nodewright/linux';
import type { BlockPort } from './block-port.ts';
import { clearDevice } from './system-disk.ts';
import type { VolumesElsewhere } from './volumes-elsewhere.ts';

export interface WipeUserDisksInit {
  readonly port: Pick<BlockPort, 'read' | 'write'>;
  readonly elsewhere: Pick<VolumesElsewhere, 'idsOn' | 'forgetDisk' | 'refresh'>;
}

/**
 * Clears disks of users. Nothing is changed when one of them holds a volume of the system, by the GUIDs that META records: its path may be
 * that of another disk now.
 *
 * @throws Fault `failed-precondition` that names the disk and the volume; Error of Node.js
 */
export async function wipeUserDisks(
  { port, elsewhere }: WipeUserDisksInit,
  disks: readonly Pick<BlockDisk, 'devicePath' | 'sizeBytes'>[],
  paths: readonly string[],
): Promise<void> {
  // The same reset may have wiped the volume just now.
  await elsewhere.refresh();
  const wiped = disks.filter(({ devicePath }) => paths.includes(devicePath));
  const guids: string[] = [];
  for (const { devicePath } of wiped) {
    const guid = decodeTable(await readHead(port, devicePath))?.guid;
    if (guid === undefined) continue;
    const ids = elsewhere.idsOn(guid);
    if (ids.length > 0)
      throw new Fault(
        'failed-precondition',
        `${devicePath} holds the volume ${ids.join(', ')} and is not wiped as the disk of a user: reset that volume`,
      );
    guids.push(guid);
  }
  for (const { devicePath, sizeBytes } of wiped) await clearDevice(port, devicePath, Number(sizeBytes));
  for (const guid of guids) await elsewhere.forgetDisk(guid);
}

async function readHead(port: Pick<BlockPort, 'read'>, path: string): Promise<Buffer> {
  try {
    return await port.read(path, 0, tableHeadBytes);
  } catch (error) {
    const { kind, message } = faultFrom(error);
    throw new Fault(kind, `${path} cannot be read, so it is not wiped: ${message}`, { cause: error });
  }
}
