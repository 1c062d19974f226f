import {
  Disk_DiskType,
  type StorageServiceImplementation,
} from '@nodewright/contract/gen/storage/storage.ts';
import { type DiskKind, readDisks } from '@nodewright/linux';
import type { Telemetry } from '@nodewright/telemetry';
import { inSpan } from '../../base/host/in-span.ts';

const types: Readonly<Record<DiskKind, Disk_DiskType>> = {
  ssd: Disk_DiskType.SSD,
  hdd: Disk_DiskType.HDD,
  nvme: Disk_DiskType.NVME,
  sd: Disk_DiskType.SD,
  cd: Disk_DiskType.CD,
};

/**
 * Disks: the whole disks of the machine. Source: Talos v1.14: Disks.
 *
 * @param systemDisk returns the path of the disk that holds META, if the node runs from its own volumes
 */
export function createDisks(
  telemetry: Telemetry,
  systemDisk: () => string | undefined,
): Pick<StorageServiceImplementation, 'disks'> {
  return {
    async disks() {
      const disks = await inSpan(telemetry, 'read disks', async () => readDisks());
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
