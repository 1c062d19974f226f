import { volumeIds, wipeableVolumes } from '@nodewright/contract/volumes';
import type { SystemDisk } from './system-disk.ts';

export interface PartitionWipeInit {
  readonly disk: Pick<SystemDisk, 'remove' | 'removeAll'>;
  readonly meta: Pick<MetaValues, 'write'>;
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
 * anew. That is the removal from the partition table, or, when META is wiped with other volumes, the write that replaces the values
 * of META by the record of the reset. META stays a partition, without values.
 *
 * @throws Fault
 */
export async function wipePartitions(
  { disk, meta, release }: PartitionWipeInit,
  { volumes, isWhole }: PartitionWipePlan,
): Promise<void> {
  await release();
  if (isWhole) return disk.removeAll();
  const removed = volumes.filter((label) => label !== volumeIds.meta);
  const hasMeta = volumes.includes(volumeIds.meta);
  if (hasMeta && removed.length > 0) await meta.write(recordOf(removed));
  if (removed.length > 0) await disk.remove(removed);
  if (hasMeta) await meta.write(new Map());
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
  readonly disk: Pick<SystemDisk, 'finishRemoval'>;
  readonly meta: MetaValues;
}): Promise<readonly string[] | undefined> {
  const values = await meta.read().catch(() => undefined);
  const removed = removedBy(values?.get(resetKey));
  if (removed === undefined) return undefined;
  await disk.finishRemoval(removed);
  await meta.write(new Map());
  return removed;
}

const recordOf = (removed: readonly string[]) =>
  new Map([[resetKey, Buffer.from(JSON.stringify({ removed }))]]);

/** Whatever else somebody has written under the key is no record. */
function removedBy(value: Uint8Array | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  try {
    const { removed } = JSON.parse(Buffer.from(value).toString()) as { readonly removed?: unknown };
    const isRecord = Array.isArray(removed) && removed.length > 0;
    return isRecord && removed.every((label) => removable.includes(label)) ? removed : undefined;
  } catch {
    return undefined;
  }
}
