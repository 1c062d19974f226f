// Phase 3: the partition of a volume is created, formatted or grown, and a folder is made. Nothing that holds data is formatted.
import type { Partition, PartitionTable } from '@nodewright/disk';
import { Fault, faultFrom } from '@nodewright/fault';
import { grown, type PartitionWish, unfinishedLabel, withPartition } from '../change-partitions.ts';
import { chosenDisks } from '../selected-disk.ts';
import { overlayFolders } from '../system-volumes.ts';
import {
  type ObservedDisk,
  type PhasePlanner,
  type PlannedPartition,
  partitionPath,
  sizeOfPartition,
  type VolumeFacts,
  type VolumePlan,
  type VolumeStep,
} from './volume-plan.ts';

const plan = (steps: readonly VolumeStep[]): VolumePlan => ({ phase: 'provision', steps });

export const planProvision: PhasePlanner = (volume, facts, located) => {
  const { partition: wanted, path = '', mode, isOverlay } = volume;
  if (wanted === undefined) {
    const { changes, work } = overlayFolders(path);
    const missing = (isOverlay ? [work, changes] : [path]).filter((folder) => !facts.folders.has(folder));
    const makeFolder = (folder: string): VolumeStep => ({ kind: 'make-folder', path: folder, mode });
    return missing.length === 0 ? undefined : plan(missing.map(makeFolder));
  }
  // The disk image brings it, and an open one was grown when it was opened.
  if (located.kind === 'open' || wanted.selector === '') return undefined;
  const steps = () => {
    if (located.kind !== 'found') return stepsOfNew(wanted, facts);
    const { disk, entry, contents, partition } = located;
    const { wish, fileSystem } = wanted;
    const refuse = (what: string): never => {
      throw new Fault('failed-precondition', `${partition.device} ${what}: ${adviceFor(partition.device)}`);
    };
    if (contents === 'zeros') return stepsOfFormat(disk, entry, wish.label);
    // The marks of many formats are not known here, and that of a damaged file system is gone.
    if (contents === 'unknown')
      return refuse(
        `is labelled ${wish.label} and holds something that is not recognised, such as a damaged file system`,
      );
    if (contents.name !== fileSystem) return refuse(`holds ${contents.name}, not ${fileSystem}`);
    return stepsOfGrowth(disk, entry, wish);
  };
  const where = located.kind === 'found' ? { located: located.partition } : {};
  try {
    const all = steps();
    return all.length === 0 ? undefined : { ...plan(all), ...where };
  } catch (error) {
    const { kind, message } = faultFrom(error);
    return { ...plan([]), ...where, refusal: { kind, message } };
  }
};

/** A new partition on the first disk that has room for it, or what is left to do for one whose creation was interrupted there. */
function stepsOfNew({ wish, selector }: PlannedPartition, facts: VolumeFacts): VolumeStep[] {
  const failures: Fault[] = [];
  for (const disk of chosenDisks(selector, facts.selection, facts.disks))
    try {
      return stepsOfNewOn(disk, wish, facts.guids);
    } catch (error) {
      failures.push(faultFrom(error));
    }
  throw failures[0] ?? new Fault('failed-precondition', `there is no disk for ${wish.label}`);
}

function stepsOfNewOn(disk: ObservedDisk, wish: PartitionWish, guids: VolumeFacts['guids']): VolumeStep[] {
  const { path } = disk;
  const table: PartitionTable | undefined =
    disk.table ?? (disk.isBlank && !disk.isSystemDisk ? { guid: guids.table, partitions: [] } : undefined);
  if (table === undefined)
    throw disk.isSystemDisk
      ? new Fault('data-loss', `the partition table of ${path} is damaged`)
      : new Fault(
          'failed-precondition',
          `${path} has no GPT partition table and is not empty: ${adviceFor(path)}`,
        );
  const begun = table.partitions.find(({ label }) => label === unfinishedLabel(wish.label));
  if (begun !== undefined) return stepsOfFormat(disk, begun, wish.label);
  const { made } = withPartition(table, disk.sectors, wish, guids.partition);
  return [
    ...(disk.table === undefined ? [{ kind: 'create-table', disk: path, guid: guids.table } as const] : []),
    { kind: 'add-partition', disk: path, partition: made },
    ...stepsOfFormat(disk, made, wish.label),
  ];
}

/**
 * The partition has the label of its volume only when its file system is whole, so wherever the power fails, the next plan formats it
 * again or finds it complete.
 */
function stepsOfFormat({ path: disk }: ObservedDisk, partition: Partition, label: string): VolumeStep[] {
  const unfinished = { ...partition, label: unfinishedLabel(label) };
  const device = partitionPath(disk, partition.number);
  const mark: VolumeStep[] =
    partition.label === unfinished.label ? [] : [{ kind: 'change-partition', disk, partition: unfinished }];
  return [
    ...mark,
    { kind: 'announce-partition', disk, partition: unfinished },
    { kind: 'clear', device, sizeBytes: sizeOfPartition(partition) },
    { kind: 'format', device, label },
    { kind: 'change-partition', disk, partition: { ...unfinished, label } },
  ];
}

function stepsOfGrowth(
  { path: disk, table, sectors }: ObservedDisk,
  entry: Partition,
  wish: PartitionWish,
): VolumeStep[] {
  const partition = table && grown(table, sectors, entry, wish);
  if (partition === undefined) return [];
  return [
    { kind: 'change-partition', disk, partition },
    { kind: 'announce-size', disk, partition },
  ];
}

const adviceFor = (device: string) =>
  `wipe it if nobody needs it (talosctl wipe disk ${device.slice(device.lastIndexOf('/') + 1)})`;
