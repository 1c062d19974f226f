// Phase 3: the partition of a volume is created, formatted or grown, and a folder is made. Nothing that holds data is formatted.
import type { Partition } from '@nodewright/disk';
import { Fault, faultFrom } from '@nodewright/fault';
import { grown, type PartitionWish, unfinishedLabel, withPartition } from '../change-partitions.ts';
import { placementProblem } from '../selected-disk.ts';
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

/** A new partition, or what is left to do for one whose creation was interrupted. */
function stepsOfNew(
  { wish, selector }: PlannedPartition,
  { disk, selection, guid }: VolumeFacts,
): VolumeStep[] {
  if (disk === undefined)
    throw new Fault('failed-precondition', `the node has no disk for partition ${wish.label}`);
  const problem = selection && placementProblem(selector, selection, disk.path);
  if (problem !== undefined) throw new Fault('failed-precondition', problem);
  const { table, sectors } = disk;
  const begun = table.partitions.find(({ label }) => label === unfinishedLabel(wish.label));
  if (begun !== undefined) return stepsOfFormat(disk, begun, wish.label);
  const { made } = withPartition(table, sectors, wish, guid);
  return [{ kind: 'add-partition', partition: made }, ...stepsOfFormat(disk, made, wish.label)];
}

/**
 * The partition has the label of its volume only when its file system is whole, so wherever the power fails, the next plan formats it
 * again or finds it complete.
 */
function stepsOfFormat({ path: disk }: ObservedDisk, partition: Partition, label: string): VolumeStep[] {
  const unfinished = { ...partition, label: unfinishedLabel(label) };
  const device = partitionPath(disk, partition.number);
  const mark: VolumeStep[] =
    partition.label === unfinished.label ? [] : [{ kind: 'change-partition', partition: unfinished }];
  return [
    ...mark,
    { kind: 'announce-partition', partition: unfinished },
    { kind: 'clear', device, sizeBytes: sizeOfPartition(partition) },
    { kind: 'format', device, label },
    { kind: 'change-partition', partition: { ...unfinished, label } },
  ];
}

function stepsOfGrowth(
  { table, sectors }: ObservedDisk,
  entry: Partition,
  wish: PartitionWish,
): VolumeStep[] {
  const partition = grown(table, sectors, entry, wish);
  if (partition === undefined) return [];
  return [
    { kind: 'change-partition', partition },
    { kind: 'announce-size', partition },
  ];
}

const adviceFor = (device: string) =>
  `wipe it if nobody needs it (talosctl wipe disk ${device.slice(device.lastIndexOf('/') + 1)})`;
