import { volumeIds, wipeableVolumes } from '@nodewright/contract/volumes';
import type { PartitionElsewhere, VolumeDisks } from './volume-disks.ts';

export interface PartitionWipeInit {
  readonly disk: Pick<VolumeDisks, 'remove' | 'removeAll'>;
  readonly meta: MetaValues;
  /** The partitions of these volumes that are not on the system disk. */
  readonly elsewhere?: (volumes: readonly string[]) => readonly PartitionElsewhere[];
  /** Ends the use of the volumes, and detaches them. */
  readonly release: () => Promise<void>;
}

interface MetaValues {
  read(): Promise<ReadonlyMap<number, Uint8Array>>;
  write(values: ReadonlyMap<number, Uint8Array>): Promise<void>;
}

export interface PartitionWipePlan {
  /** Labels. */
  readonly volumes: readonly string[];
  /** The whole disk: nothing can be started from it any more. */
  readonly isWhole: boolean;
}

/** The key in META under which a reset is recorded. Nothing else uses this key. Source: Talos v1.14: META partition. */
const resetKey = 0xfe;
const removable: readonly string[] = wipeableVolumes.filter((label) => label !== volumeIds.meta);

/**
 * Wipes the volumes of a machine. One write decides: before it nothing has changed, and after it the next start creates the volumes
 * anew. That is the removal from the partition table, or, when META is wiped with other volumes or a volume is on another disk, the write
 * that records the reset in META. META stays a partition; without values when it is wiped.
 *
 * @throws Fault
 */
export async function wipePartitions(
  { disk, meta, release, elsewhere = () => [] }: PartitionWipeInit,
  { volumes, isWhole }: PartitionWipePlan,
): Promise<void> {
  await release();
  if (isWhole) return disk.removeAll(elsewhere(wipeableVolumes));
  const removed = volumes.filter((label) => label !== volumeIds.meta);
  const others = elsewhere(removed);
  const hasMeta = volumes.includes(volumeIds.meta);
  const isRecorded = removed.length > 0 && (hasMeta || others.length > 0);
  const kept = hasMeta || !isRecorded ? new Map<number, Uint8Array>() : await meta.read();
  const record = { removed, elsewhere: others.map(({ guid }) => guid), keepsMeta: !hasMeta };
  if (isRecorded) await meta.write(new Map([...kept, [resetKey, encodeRecord(record)]]));
  if (removed.length > 0) await disk.remove(removed, others);
  if (hasMeta || isRecorded) await meta.write(kept);
}

/**
 * Completes the reset that META records: the power failed before it was done. To be called before anything uses the volumes.
 *
 * @returns the labels of the removed volumes; undefined when META has no such record, or cannot be read, which whoever needs its values
 * reports
 * @throws Fault when the reset cannot be completed
 */
export async function finishWipe({
  disk,
  meta,
}: {
  readonly disk: Pick<VolumeDisks, 'finishRemoval'>;
  readonly meta: MetaValues;
}): Promise<readonly string[] | undefined> {
  const values = await meta.read().catch(() => undefined);
  const record = recordFrom(values?.get(resetKey));
  if (record === undefined) return undefined;
  await disk.finishRemoval(record.removed, record.elsewhere);
  const kept = record.keepsMeta ? [...(values ?? [])].filter(([key]) => key !== resetKey) : [];
  await meta.write(new Map(kept));
  return record.removed;
}

interface ResetRecord {
  /** Labels on the system disk. */
  readonly removed: readonly string[];
  /** GUIDs of partitions on other disks. */
  readonly elsewhere: readonly string[];
  /** META is not wiped: its other values stay. */
  readonly keepsMeta: boolean;
}

/** Most partitions elsewhere: one for each volume. */
const maxElsewhere = 16;

/** What is usual has the form that earlier versions wrote, and can complete. */
function encodeRecord({ removed, elsewhere, keepsMeta }: ResetRecord): Uint8Array {
  const record = { removed, ...(elsewhere.length > 0 && { elsewhere }), ...(keepsMeta && { keepsMeta }) };
  return Buffer.from(JSON.stringify(record));
}

/** Whatever else somebody has written under the key is no record. */
function recordFrom(value: Uint8Array | undefined): ResetRecord | undefined {
  if (value === undefined) return undefined;
  try {
    const { removed, elsewhere = [], keepsMeta = false } = JSON.parse(Buffer.from(value).toString());
    const isRecord =
      isTexts(removed) && removed.length > 0 && removed.every((label) => removable.includes(label));
    if (!isRecord || !isTexts(elsewhere) || elsewhere.length > maxElsewhere) return undefined;
    return { removed, elsewhere, keepsMeta: keepsMeta === true };
  } catch {
    return undefined;
  }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');
