import { chmod } from 'node:fs/promises';
import { Fault, faultFrom } from '@nodewright/fault';
import { type BlockDisk, type NativeCalls, readDisks } from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';
import type { PartitionWish } from '../domain/change-partitions.ts';
import {
  imageCacheWish,
  mountOptionsOfImageCache,
  mountOptionsOfOverlay,
  mountOptionsOfState,
  stateWish,
} from '../domain/system-volumes.ts';
import type { OverlayFolders, PartitionMountOptions, VolumePartitions } from '../domain/volume-partitions.ts';
import { createBlockPort } from './block-port.ts';
import { findSystemDisk } from './find-system-disk.ts';
import { createMetaOnDisk } from './meta-on-disk.ts';
import { finishWipe, type PartitionWipePlan, wipePartitions } from './partition-wipe.ts';
import { clearDevice, type SystemDisk, type VolumePartition } from './system-disk.ts';

/** The volumes of a machine that are partitions. */
export interface MachineVolumes extends VolumePartitions {
  /** Path of the disk that holds META. */
  readonly systemDisk: string;
  readonly meta: ReturnType<typeof createMetaOnDisk>;
  /** Detaches and wipes volumes. */
  wipe(plan: PartitionWipePlan): Promise<void>;
  /** Path of the partition BOOT; undefined when the system disk has none. @throws Fault */
  bootDevice(): Promise<string | undefined>;
  /** Deletes the entry of a partition of the system disk. @throws Fault */
  dropPartition(number: number): Promise<void>;
  /** Why a disk is not wiped as the disk of a user; undefined when it can be. */
  userDiskProblem(path: string): string | undefined;
  /** Clears disks of users. @throws Fault */
  wipeUserDisks(paths: readonly string[]): Promise<void>;
}

/**
 * Finds the system disk and mounts STATE, which it creates at the first start: the configuration of the node is there, and
 * everything else follows from it. What fails is logged, and the machine goes on in memory, so that its API can be asked.
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
  const disk = await findSystemDisk(port, readDisks(), log, startedDisk);
  const meta = await disk?.find('META');
  if (disk === undefined || meta === undefined) {
    log.error(
      { disk: startedDisk },
      'no disk of this machine has a partition META: the configuration and all data are in memory, and lost at the next start',
    );
    return undefined;
  }
  const partitions = partitionsOf(disk, log, (await disk.find('IMAGECACHE')) !== undefined);
  const metaOnDisk = createMetaOnDisk(port, meta.device);
  let stateFailure: Fault | undefined;
  try {
    // A node that was reset must not come back with its configuration.
    await finishInterruptedWipe(disk, metaOnDisk, log);
    await partitions.prepare('STATE', stateWish);
    await partitions.mount('STATE', mountOptionsOfState);
  } catch (error) {
    const { kind, message } = faultFrom(error);
    // Mounted later, it would hide the configuration that the node has got in the meantime.
    stateFailure = new Fault(kind, `${message} (tried again at the next start)`, { cause: error });
    log.error(
      { error: message },
      'STATE cannot be used: the configuration is in memory, and lost at the next start',
    );
  }
  if (partitions.hasImageCache) await mountImageCache(partitions, log);
  const release = async () => detachVolumes();
  return {
    ...partitions,
    async prepare(id, wish) {
      if (id === 'STATE' && stateFailure !== undefined) throw stateFailure;
      return partitions.prepare(id, wish);
    },
    systemDisk: disk.path,
    meta: metaOnDisk,
    bootDevice: async () => (await disk.find('BOOT'))?.device,
    dropPartition: (number) => disk.drop(number),
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

/** Without it images come from registries, so a failure is no reason to stop. */
async function mountImageCache(partitions: VolumePartitions, log: Logger): Promise<void> {
  try {
    await partitions.prepare('IMAGECACHE', imageCacheWish);
    await partitions.mount('IMAGECACHE', mountOptionsOfImageCache);
  } catch (error) {
    log.warn({ error: faultFrom(error).message }, 'the images on the disk cannot be used');
  }
}

/** The disk image brings these partitions: they are found, and never created, formatted or grown. */
const isOfImage = (id: string) => id === 'META' || id === 'IMAGECACHE';

/** Each volume is prepared and mounted once; a failure is tried again by the next call. */
function partitionsOf(disk: SystemDisk, log: Logger, hasImageCache: boolean): VolumePartitions {
  const prepared = new Map<string, VolumePartition>();
  const mounted = new Set<string>();
  return {
    hasImageCache,
    exists: async (id, { label }) => prepared.has(id) || (await disk.find(label)) !== undefined,
    async prepare(id: string, wish: PartitionWish) {
      const partition =
        prepared.get(id) ?? (isOfImage(id) ? await existing(disk, id) : await disk.prepare(wish));
      prepared.set(id, partition);
      return partition;
    },
    async mount(id: string, { target, flags, options, mode }: PartitionMountOptions) {
      if (mounted.has(id)) return;
      const partition = prepared.get(id);
      if (partition === undefined) throw new Fault('failed-precondition', `volume ${id} is not prepared`);
      disk.mount(partition, { target, flags, options });
      mounted.add(id);
      if (isOfImage(id)) return;
      await chmod(target, mode);
      try {
        disk.growFileSystem(partition, target);
      } catch (error) {
        log.warn({ volume: id, error: String(error) }, 'the file system does not fill its partition');
      }
    },
    async mountOverlay({ target, changes, work }: OverlayFolders) {
      if (mounted.has(target)) return;
      disk.mountOverlay({
        ...{ target, flags: mountOptionsOfOverlay },
        options: `lowerdir=${target},upperdir=${changes},workdir=${work}`,
      });
      mounted.add(target);
    },
  };
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

async function existing(disk: SystemDisk, label: string): Promise<VolumePartition> {
  const found = await disk.find(label);
  if (found === undefined) throw new Fault('not-found', `${disk.path} has no partition ${label}`);
  return found;
}
