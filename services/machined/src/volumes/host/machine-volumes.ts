import { startPartitions, volumeIds } from '@nodewright/contract/volumes';
import { sectorBytes } from '@nodewright/disk';
import { Fault, faultFrom } from '@nodewright/fault';
import { type BlockDisk, createBoundedCalls, type NativeCalls, readDisks } from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';
import type { DeviceFacts } from '../domain/plan-device-wipes.ts';
import type { VolumeHost } from '../domain/volume-host.ts';
import { createBlockPort } from './block-port.ts';
import type { TableEntry } from './drop-partition.ts';
import { findSystemDisk } from './find-system-disk.ts';
import { createMetaOnDisk } from './meta-on-disk.ts';
import { OtherDisks, otherPlaces } from './other-disks.ts';
import { type FinishedWipe, finishWipe, type PartitionWipePlan, wipePartitions } from './partition-wipe.ts';
import { StartVolumes } from './start-volumes.ts';
import { SystemDisk } from './system-disk.ts';
import { wipeUserDisks } from './user-disks.ts';
import { VolumeExecutor } from './volume-executor.ts';
import { createVolumeFolders } from './volume-folder.ts';
import { VolumesElsewhere, volumesOn } from './volumes-elsewhere.ts';

/** Threads that disks other than the system disk can occupy when they hang. Reading of contents and remote file systems have their own. */
const otherDiskThreads = 3;

/** The disk as a BIOS sees it, by sectors of 512 bytes. */
export interface BiosSectors {
  /** The first sector of the partition BIOS. */
  readonly first: number;
  /** Of the partition BIOS. */
  readonly sizeBytes: number;
  read(sector: number, lengthBytes: number): Promise<Buffer>;
  /** Resolves when the disk has the bytes. */
  write(sector: number, bytes: Buffer): Promise<void>;
}

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
  /** The same for the partition EFI. @throws Fault */
  efiDevice(): Promise<string | undefined>;
  /** The sectors from which a BIOS starts; undefined when the system disk has no partition BIOS. @throws Fault */
  biosSectors(): Promise<BiosSectors | undefined>;
  /** Deletes the entry of a partition; then the kernel forgets it. @throws Fault */
  dropPartition(entry: TableEntry, forget: () => Promise<void>): Promise<void>;
  /** The volumes that META records to be on other disks. @throws Fault when it is not known where one of them is */
  volumesElsewhere(): Promise<DeviceFacts['volumes']>;
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
  const metaOnDisk = createMetaOnDisk(port, meta.device);
  const others = new OtherDisks({
    port,
    list: () => otherPlaces(readDisks(), disk.path),
    bounded: createBoundedCalls({ limit: otherDiskThreads }),
  });
  // A node that was reset must not come back with its configuration.
  const resetFailure = await finishInterruptedWipe({ disk, others, meta: metaOnDisk }, log);
  const elsewhere = await VolumesElsewhere.open({ meta: metaOnDisk, disks: others, log });
  const folders = createVolumeFolders('');
  const executor = new VolumeExecutor({ disk, elsewhere, hasImageCache, folders, log });
  const volumes = new StartVolumes(executor, log);
  if (resetFailure !== undefined) volumes.fail(volumeIds.state, resetFailure);
  const release = async () => detachVolumes();
  return {
    ...{ hasPartitions: true, hasImageCache },
    async settle(volume, given) {
      // What is created before the reset is complete would be wiped by it.
      if (resetFailure !== undefined && volume.partition !== undefined && volume.partition.selector !== '')
        throw resetFailure;
      return volumes.settle(volume, given);
    },
    leave: (id, end) => volumes.leave(id, end),
    started: () => volumes.started(),
    systemDisk: disk.path,
    meta: metaOnDisk,
    bootDevice: async () => (await disk.find(startPartitions.boot))?.device,
    async biosSectors() {
      const found = await disk.find(startPartitions.bios);
      const partition = found && port.partitionPlace(found.disk, found.number);
      if (found === undefined || partition === undefined) return undefined;
      return {
        ...{ first: partition.first, sizeBytes: found.sizeBytes },
        read: (sector, lengthBytes) => port.read(disk.path, sector * sectorBytes, lengthBytes),
        write: (sector, bytes) => port.write(disk.path, [{ at: sector * sectorBytes, bytes }]),
      };
    },
    efiDevice: async () => (await disk.find(startPartitions.efi))?.device,
    dropPartition: (entry, forget) =>
      entry.disk === disk.path ? disk.drop(entry, forget) : others.drop(entry, forget),
    volumesElsewhere: async () => volumesOn(await elsewhere.find(), elsewhere.places),
    wipe: (plan) => wipePartitions({ disk, others, meta: metaOnDisk, release, log }, plan),
    userDiskProblem: (path) =>
      userDiskProblem(readDisks(), disk.path, path) ?? problemOfVolumes(executor.volumesOn(path)),
    wipeUserDisks: (paths) => wipeUserDisks({ port, elsewhere }, readDisks(), paths),
  };
}

/**
 * @returns why a reset could not be completed
 * @throws Fault when the whole disk was wiped: the machine cannot go on, and restarts
 */
async function finishInterruptedWipe(
  init: Parameters<typeof finishWipe>[0],
  log: Logger,
): Promise<Fault | undefined> {
  let finished: FinishedWipe | undefined;
  try {
    finished = await finishWipe(init);
  } catch (error) {
    const { kind, message } = faultFrom(error);
    return new Fault(kind, `a reset that was interrupted cannot be completed: ${message}`, { cause: error });
  }
  if (finished === undefined) return undefined;
  const { removed, left, isWhole } = finished;
  if (isWhole) throw new Fault('aborted', 'a reset that was interrupted is complete: the disk is wiped');
  if (removed.length > 0) log.warn({ volumes: removed }, 'a reset that was interrupted is complete');
  if (left.length > 0)
    log.error({ left }, 'a reset still has to wipe partitions of other disks, and does when they are there');
  return undefined;
}

const problemOfVolumes = (ids: readonly string[]) =>
  ids.length === 0 ? undefined : `holds the volume ${ids.join(', ')}: reset that instead`;

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
