import { Deadline, untilAborted } from '@nodewright/async';
import {
  Disk_DiskType,
  type StorageServiceImplementation,
} from '@nodewright/contract/gen/storage/storage.ts';
import { Fault } from '@nodewright/fault';
import type { DiskKind } from '@nodewright/linux';
import type { BlockInventory, DeviceSource } from '../host/device-source.ts';

const types: Readonly<Record<DiskKind, Disk_DiskType>> = {
  ssd: Disk_DiskType.SSD,
  hdd: Disk_DiskType.HDD,
  nvme: Disk_DiskType.NVME,
  sd: Disk_DiskType.SD,
  cd: Disk_DiskType.CD,
};

/** How long a call waits for udevd-bridge, which starts with the node. */
const startTimeoutMs = 10_000;

/**
 * Disks: the whole disks of the machine. Source: Talos v1.14: Disks.
 *
 * @param source while it is away, the disks are the last known ones
 * @param systemDisk returns the path of the disk that holds META, if the node runs from its own volumes
 */
export function createDisks(
  source: Pick<DeviceSource, 'block' | 'listen' | 'state'>,
  systemDisk: () => string | undefined,
): Pick<StorageServiceImplementation, 'disks'> {
  return {
    async disks(_request, { signal }) {
      const disks = (await firstInventory(source, signal))?.disks;
      if (disks === undefined)
        throw new Fault(
          'unavailable',
          `disks are not known yet: ${source.state().problem || 'udevd-bridge is reading them'}`,
        );
      return {
        messages: [
          {
            disks: disks.map((disk) => ({
              size: disk.sizeBytes,
              model: disk.model,
              deviceName: disk.devicePath,
              // The field is for devices that have a name in addition to the model.
              name: '',
              serial: disk.serial,
              modalias: disk.modalias,
              uuid: disk.uuid,
              wwid: disk.wwid,
              type: types[disk.kind],
              busPath: disk.busPath,
              systemDisk: disk.devicePath === systemDisk(),
              subsystem: disk.subsystem,
              readonly: disk.isReadOnly,
            })),
          },
        ],
      };
    },
  };
}

/** Waits until the devices were read for the first time; undefined when that takes too long. */
async function firstInventory(
  source: Pick<DeviceSource, 'block' | 'listen'>,
  signal: AbortSignal,
): Promise<BlockInventory | undefined> {
  using deadline = new Deadline(startTimeoutMs, signal);
  const read = Promise.withResolvers<void>();
  using _ = source.listen('block', () => read.resolve());
  if (source.block() === undefined) await untilAborted(read.promise, deadline.signal);
  return source.block();
}
