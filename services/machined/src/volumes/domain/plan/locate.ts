// Phase 1: where the partition of a volume is.
import type { Partition } from '@nodewright/disk';
import type { RecordedPlace } from '../recorded-places.ts';
import {
  identityText,
  type LocatedVolume,
  type ObservedDisk,
  type PlannedVolume,
  partitionPath,
  sizeOfPartition,
  type VolumeFacts,
} from './volume-plan.ts';

/**
 * Finds the partition: the one that META records, by its GUID, on whatever disk it is; without a record the one on the system disk with the
 * label of the volume. A partition of another disk that merely has the label is never taken.
 */
export function locateVolume(
  { partition: wanted }: PlannedVolume,
  { disk, open, recorded, others = [] }: Pick<VolumeFacts, 'disk' | 'open' | 'recorded' | 'others'>,
): LocatedVolume {
  if (open !== undefined) return { kind: 'open', partition: open };
  const labelled = disk?.table.partitions.find(({ label }) => label === wanted?.wish.label);
  if (recorded === undefined || recorded === 'lost')
    return disk === undefined || labelled === undefined ? { kind: 'none' } : foundOn(disk, labelled);
  if (disk !== undefined && labelled !== undefined) {
    const own = partitionPath(disk.path, labelled.number);
    const message = `META records ${identityText(recorded)}, and ${own} has the label as well: a reset of ${labelled.label} wipes both`;
    return { kind: 'unclear', message };
  }
  return locateRecorded(recorded, others);
}

function locateRecorded(recorded: RecordedPlace, others: NonNullable<VolumeFacts['others']>): LocatedVolume {
  const found = others.flatMap(({ path, sectors, state }) => {
    if (state.kind !== 'table') return [];
    const { table, contents } = state;
    const entry = table.partitions.find(({ guid }) => guid === recorded.partition);
    return entry === undefined ? [] : [{ disk: { path, sectors, table, contents }, entry }];
  });
  const [only, ...more] = found;
  if (only === undefined) {
    const disk = others.find(({ state }) => state.kind === 'table' && state.table.guid === recorded.disk);
    return { kind: 'missing', place: recorded, disk };
  }
  const paths = found.map(({ disk, entry }) => partitionPath(disk.path, entry.number)).join(', ');
  if (more.length > 0)
    return {
      kind: 'unclear',
      message: `${identityText(recorded)} is there several times (${paths}): remove the copy, or use one path to the disk`,
    };
  if (only.disk.table.guid !== recorded.disk)
    return {
      kind: 'unclear',
      message: `${paths} has the GUID of ${identityText(recorded)}, but is on the disk with GUID ${only.disk.table.guid}`,
    };
  return { ...foundOn(only.disk, only.entry), recorded };
}

function foundOn(disk: ObservedDisk, entry: Partition): LocatedVolume & { readonly kind: 'found' } {
  const contents = disk.contents.get(entry.number) ?? 'unknown';
  const { number, guid } = entry;
  const partition = {
    ...{ device: partitionPath(disk.path, number), disk: disk.path, number, guid },
    ...{ sizeBytes: sizeOfPartition(entry), contents: typeof contents === 'string' ? undefined : contents },
  };
  return { kind: 'found', disk, entry, partition, contents };
}
