import type { SystemDisk } from './system-disk.ts';

export interface PartitionWipeInit {
  readonly disk: Pick<SystemDisk, 'remove' | 'removeAll'>;
  readonly meta: { write(values: ReadonlyMap<number, Uint8Array>): Promise<void> };
  /** Ends the use of the volumes, and detaches them. */
  readonly release: () => Promise<void>;
}

export interface PartitionWipePlan {
  /** Labels: META, STATE, EPHEMERAL. */
  readonly volumes: readonly string[];
  /** The whole disk: nothing can be started from it any more. */
  readonly isWhole: boolean;
}

/**
 * Wipes the volumes of a machine. The removal from the partition table is one write: before it nothing has changed, and
 * after it the next start creates the volumes anew. META stays a partition, without values.
 *
 * @throws Fault
 */
export async function wipePartitions(
  { disk, meta, release }: PartitionWipeInit,
  { volumes, isWhole }: PartitionWipePlan,
): Promise<void> {
  await release();
  if (isWhole) return disk.removeAll();
  const removed = volumes.filter((label) => label !== 'META');
  if (removed.length > 0) await disk.remove(removed);
  if (volumes.includes('META')) await meta.write(new Map());
}
