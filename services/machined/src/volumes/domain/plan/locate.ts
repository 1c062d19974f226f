// Phase 1: where the partition of a volume is.
import type { Partition } from '@nodewright/disk';
import {
  type LocatedVolume,
  type ObservedDisk,
  type PlannedVolume,
  partitionPath,
  sizeOfPartition,
  type VolumeFacts,
} from './volume-plan.ts';

/**
 * Finds the partition by its label. One on the system disk comes before those on other disks, and among these the only one that the
 * selector selects. Others count only once all devices are known: another order of disks must not choose another partition.
 */
export function locateVolume(
  { partition: wanted }: PlannedVolume,
  { disks, open, selection, areDevicesKnown }: VolumeFacts,
): LocatedVolume {
  if (open !== undefined) return { kind: 'open', partition: open };
  if (wanted === undefined) return { kind: 'none' };
  const matches = disks.flatMap((disk) => {
    const entry = disk.table?.partitions.find(({ label }) => label === wanted.wish.label);
    return entry === undefined ? [] : [foundOn(disk, entry)];
  });
  const own = matches.find(({ disk }) => disk.isSystemDisk);
  if (own !== undefined) return own;
  if (!areDevicesKnown) return { kind: 'none' };
  const chosen = selection !== undefined && 'selected' in selection ? selection.selected : [];
  const selected = matches.filter(({ disk }) => chosen.includes(disk.path));
  const [only, ...others] = selected.length === 1 ? selected : matches;
  if (only === undefined) return { kind: 'none' };
  if (others.length === 0) return only;
  return { kind: 'several', devices: matches.map(({ partition }) => partition.device) };
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
