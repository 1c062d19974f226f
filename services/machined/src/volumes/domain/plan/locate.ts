// Phase 1: where the partition of a volume is.
import {
  type LocatedVolume,
  type PlannedVolume,
  partitionPath,
  sizeOfPartition,
  type VolumeFacts,
} from './volume-plan.ts';

/** Finds the partition on the system disk, by its label. */
export function locateVolume(
  { partition: wanted }: PlannedVolume,
  { disk, open }: Pick<VolumeFacts, 'disk' | 'open'>,
): LocatedVolume {
  if (open !== undefined) return { kind: 'open', partition: open };
  const entry = disk?.table.partitions.find(({ label }) => label === wanted?.wish.label);
  if (disk === undefined || entry === undefined) return { kind: 'none' };
  const contents = disk.contents.get(entry.number) ?? 'unknown';
  const { number, guid } = entry;
  const partition = {
    ...{ device: partitionPath(disk.path, number), disk: disk.path, number, guid },
    ...{ sizeBytes: sizeOfPartition(entry), contents: typeof contents === 'string' ? undefined : contents },
  };
  return { kind: 'found', disk, entry, partition, contents };
}
