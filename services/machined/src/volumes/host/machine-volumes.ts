import { startPartitions, volumeIds } from '@nodewright/contract/volumes';
import { Fault, faultFrom } from '@nodewright/fault';
import { type BlockDisk, type NativeCalls, readDisks } from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';
import type { VolumeHost } from '../domain/volume-host.ts';
import { createBlockPort } from './block-port.ts';
import type { TableEntry } from './drop-partition.ts';
import { findSystemDisk } from './find-system-disk.ts';
import { createMetaOnDisk } from './meta-on-disk.ts';
import { finishWipe, type PartitionWipePlan, wipePartitions } from './partition-wipe.ts';
import { StartVolumes } from './start-volumes.ts';
import { clearDevice, SystemDisk } from './system-disk.ts';
import { VolumeExecutor } from './volume-executor.ts';
import { createVolumeFolders } from './volume-folder.ts';

/** The volumes of a machine that are partitions. */
export interface MachineVolumes extends VolumeHost {
  /** Path of the disk that holds META. */
  readonly systemDisk: string;
  readonly meta: ReturnType<typeof createMetaOnDisk>;
  /**
   * Resolves to the volumes that are mounted when each one that the start waits for is mounted or has failed. The controllers of volumes
   * mount them.
   */
  started(): Promise<readonly string[]>;
  /** Detaches and wipes volumes. */
  wipe(plan: PartitionWipePlan): Promise<void>;
  /** Path of the partition BOOT; undefined when the system disk has none. @throws Fault */
  bootDevice(): Promise<string | undefined>;
  /** Deletes the entry of a partition of the system disk; then the kernel forgets it. @throws Fault */
  dropPartition(entry: Pick<TableEntry, 'number' | 'guid'>, forget: () => Promise<void>): Promise<void>;
  /** Why a disk is not wiped as the disk of a user; undefined when it can be. */
  userDiskProblem(path: string): string | undefined;
  /** Clears disks of users. @throws Fault */
  wipeUserDisks(paths: readonly string[]): Promise<void>;
}

/**
 * Finds the system disk, and completes a reset of it that was interrupted. It mounts nothing. What fails is logged, and the machine goes
 * on in memory, so that its API can be asked.
 *
 * @param startedDisk path of the disk that the init has found the image on; undefined when it is unknown
 * @returns undefined when no disk has a partition META, or not that disk
 */
export async function openMachineVolumes(
  calls: NativeCalls,
  log: Logger,
  detachVolumes: () => void,
  startedDisk: string | undefined,
): Promise<MachineVolumes | undefined> {
  const port = createBlockPort(calls);
  const place = await findSystemDisk(port, readDisks(), log, startedDisk);
  const disk = place && new SystemDisk({ port, ...place });
  const meta = await disk?.find(volumeIds.meta);
  if (disk === undefined || meta === undefined) {
    log.error(
      { disk: startedDisk },
      'no disk of this machine has a partition META: the configuration and all data are in memory, and lost at the next start',
    );
    return undefined;
  }
  const hasImageCache = (await disk.find(volumeIds.imageCache)) !== undefined;
  const executor = new VolumeExecutor({ disk, hasImageCache, folders: createVolumeFolders(''), log });
  const volumes = new StartVolumes(executor, log);
  const metaOnDisk = createMetaOnDisk(port, meta.device);
  try {
    // A node that was reset must not come back with its configuration.
    await finishInterruptedWipe(disk, metaOnDisk, log);
  } catch (error) {
    volumes.fail(volumeIds.state, error);
  }
  const release = async () => detachVolumes();
  return {
    ...{ hasPartitions: true, hasImageCache },
    settle: (volume, given) => volumes.settle(volume, given),
    leave: (id, end) => volumes.leave(id, end),
    started: () => volumes.started(),
    systemDisk: disk.path,
    meta: metaOnDisk,
    bootDevice: async () => (await disk.find(startPartitions.boot))?.device,
    dropPartition: (entry, forget) => disk.drop(entry, forget),
    wipe: (plan) => wipePartitions({ disk, meta: metaOnDisk, release }, plan),
    userDiskProblem: (path) => userDiskProblem(readDisks(), disk.path, path),
    async wipeUserDisks(paths) {
      for (const { devicePath, sizeBytes } of readDisks())
        if (paths.includes(devicePath)) await clearDevice(port, devicePath, Number(sizeBytes));
    },
  };
}

async function finishInterruptedWipe(
  disk: SystemDisk,
  meta: MachineVolumes['meta'],
  log: Logger,
): Promise<void> {
  try {
    const volumes = await finishWipe({ disk, meta });
    if (volumes !== undefined) log.warn({ volumes }, 'a reset that was interrupted is complete');
  } catch (error) {
    const { kind, message } = faultFrom(error);
    throw new Fault(kind, `a reset that was interrupted cannot be completed: ${message}`, { cause: error });
  }
}

function userDiskProblem(
  disks: readonly Pick<BlockDisk, 'devicePath' | 'isReadOnly'>[],
  systemDisk: string,
  path: string,
): string | undefined {
  const found = disks.find(({ devicePath }) => devicePath === path);
  if (found === undefined) return "wasn't found";
  if (found.isReadOnly) return 'is readonly';
  return path === systemDisk ? 'is the system disk' : undefined;
}
