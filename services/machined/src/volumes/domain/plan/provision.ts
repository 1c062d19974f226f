// Phase 3: the partition of a volume is created, formatted or grown, and a folder is made. Nothing that holds data is formatted.
import type { Partition } from '@nodewright/disk';
import { Fault, faultFrom } from '@nodewright/fault';
import { grown, type PartitionWish, unfinishedLabel, withPartition } from '../change-partitions.ts';
import { overlayFolders } from '../system-volumes.ts';
import { diskOfNew } from './choose-disk.ts';
import {
  type LocatedVolume,
  type ObservedDisk,
  type OnDisk,
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
    if (located.kind !== 'found') return stepsOfNew(wanted, facts, located);
    const { disk, entry, contents, partition } = located;
    const { wish, fileSystem } = wanted;
    const refuse = (what: string): never => {
      throw new Fault('failed-precondition', `${partition.device} ${what}: ${adviceFor(partition.device)}`);
    };
    const made: VolumeStep[] = located.recorded === undefined ? [] : recordMade(located.recorded);
    const isMade = located.recorded?.isMade === true;
    if (isMade && contents === 'zeros')
      throw new Fault(
        'failed-precondition',
        `${partition.device} is volume ${volume.id}, which has been in use, and begins with zeros now: its beginning was overwritten or its disk does not return it. Restore it, or reset the volume to create it anew (talosctl reset --system-labels-to-wipe ${volume.id})`,
      );
    const isBegun = located.recorded !== undefined && entry.label === unfinishedLabel(wish.label) && !isMade;
    if (contents === 'zeros' || isBegun) return [...stepsOfFormat(disk, entry, wish.label), ...made];
    // The marks of many formats are not known here, and that of a damaged file system is gone.
    if (contents === 'unknown')
      return refuse(
        `is labelled ${wish.label} and holds something that is not recognised, such as a damaged file system`,
      );
    if (contents.name !== fileSystem) return refuse(`holds ${contents.name}, not ${fileSystem}`);
    return made;
  };
  const where = located.kind === 'found' ? { located: located.partition } : {};
  try {
    const all = steps();
    if (all.length > 0) return { ...plan(all), ...where };
    if (located.kind !== 'found' || facts.cannotGrow) return undefined;
    const growth = stepsOfGrowth(located.disk, located.entry, wanted.wish);
    return growth.length === 0 ? undefined : { ...plan(growth), ...where, isGrowth: true };
  } catch (error) {
    const { kind, message } = faultFrom(error);
    return { ...plan([]), ...where, refusal: { kind, message } };
  }
};

/** Written when the file system is whole, so that the volume is not used before. */
const recordMade = (place: NonNullable<(LocatedVolume & { kind: 'found' })['recorded']>): VolumeStep[] =>
  place.isMade ? [] : [{ kind: 'record-place', place: { ...place, isMade: true } }];

/** A new partition, or what is left to do for one whose creation was interrupted. */
function stepsOfNew(wanted: PlannedPartition, facts: VolumeFacts, located: LocatedVolume): VolumeStep[] {
  const { wish } = wanted;
  const { disk, guid } = facts;
  if (disk === undefined)
    throw new Fault('failed-precondition', `the node has no disk for partition ${wish.label}`);
  const other = diskOfNew(wanted, facts);
  // The document has changed since a partition was intended that was never created.
  if (located.kind === 'missing') return [{ kind: 'record-place', place: undefined }];
  if (other !== undefined) {
    const { path, sectors, state } = other;
    if (state.kind === 'blank') return [{ kind: 'create-table', disk: path, sectors, guid: facts.tableGuid }];
    const on = { path, sectors, table: state.table, contents: state.contents };
    const { made } = withPartition(state.table, sectors, wish, guid);
    const place = { disk: state.table.guid, partition: guid, isMade: false };
    return [
      { kind: 'record-place', place },
      { kind: 'add-partition', ...onDisk(on), partition: made },
      ...stepsOfFormat(on, made, wish.label),
      ...recordMade(place),
    ];
  }
  const { table, sectors } = disk;
  const begun = table.partitions.find(({ label }) => label === unfinishedLabel(wish.label));
  if (begun !== undefined) return stepsOfFormat(disk, begun, wish.label);
  const { made } = withPartition(table, sectors, wish, guid);
  return [
    { kind: 'add-partition', ...onDisk(disk), partition: made },
    ...stepsOfFormat(disk, made, wish.label),
  ];
}

const onDisk = ({ path, sectors, table }: ObservedDisk): OnDisk => ({
  ...{ disk: path, sectors, table: table.guid },
});

/**
 * The partition has the label of its volume only when its file system is whole, so wherever the power fails, the next plan formats it
 * again or finds it complete.
 */
function stepsOfFormat(observed: ObservedDisk, partition: Partition, label: string): VolumeStep[] {
  const on = onDisk(observed);
  const unfinished = { ...partition, label: unfinishedLabel(label) };
  const device = partitionPath(on.disk, partition.number);
  const mark: VolumeStep[] =
    partition.label === unfinished.label ? [] : [{ kind: 'change-partition', ...on, partition: unfinished }];
  return [
    ...mark,
    { kind: 'announce-partition', ...on, partition: unfinished },
    { kind: 'clear', device, sizeBytes: sizeOfPartition(partition) },
    { kind: 'format', device, label },
    { kind: 'change-partition', ...on, partition: { ...unfinished, label } },
  ];
}

function stepsOfGrowth(observed: ObservedDisk, entry: Partition, wish: PartitionWish): VolumeStep[] {
  const { table, sectors } = observed;
  const on = onDisk(observed);
  const partition = grown(table, sectors, entry, wish);
  if (partition === undefined) return [];
  return [
    { kind: 'change-partition', ...on, partition },
    { kind: 'announce-size', ...on, partition },
  ];
}

const adviceFor = (device: string) =>
  `wipe it if nobody needs it (talosctl wipe disk ${device.slice(device.lastIndexOf('/') + 1)})`;
