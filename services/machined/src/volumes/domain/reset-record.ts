// The record of a reset in META, by which a start completes it.
import { volumeIds, wipeableVolumes } from '@nodewright/contract/volumes';
import { isGuid, type PartitionIdentity } from './recorded-places.ts';

export interface ResetRecord {
  /** Labels of partitions to remove from the system disk. */
  readonly removed: readonly string[];
  /** Partitions of other disks that have to be wiped still. */
  readonly elsewhere: readonly PartitionIdentity[];
  /** META keeps its values. */
  readonly keepsMeta: boolean;
  /** The whole system disk is wiped when nothing is left to wipe elsewhere. */
  readonly isWhole: boolean;
}

const removable: readonly string[] = wipeableVolumes.filter((label) => label !== volumeIds.meta);
/** Disks that were taken out before they could be wiped. */
const maxElsewhere = 64;

/** A record about the system disk alone has the form that earlier versions wrote, and can complete. */
export function encodeReset({ removed, elsewhere, keepsMeta, isWhole }: ResetRecord): Uint8Array {
  const record = {
    removed,
    ...((elsewhere.length > 0 || isWhole) && {
      elsewhere: elsewhere.map(({ disk, partition }) => [disk, partition]),
    }),
    ...(keepsMeta && { keepsMeta }),
    ...(isWhole && { isWhole }),
  };
  return Buffer.from(JSON.stringify(record));
}

/** Undefined without a value, and for one that is no record. */
export function resetFrom(value: Uint8Array | undefined): ResetRecord | undefined {
  if (value === undefined) return undefined;
  try {
    const found = JSON.parse(Buffer.from(value).toString()) as { readonly [name: string]: unknown };
    const { removed, elsewhere: written, keepsMeta = false, isWhole = false } = found;
    const pairs = written ?? [];
    if (!Array.isArray(removed) || !removed.every((label) => removable.includes(label as string)))
      return undefined;
    if (!Array.isArray(pairs) || pairs.length > maxElsewhere) return undefined;
    const elsewhere = (pairs as readonly unknown[]).map(identityFrom);
    if (!elsewhere.every((one) => one !== undefined)) return undefined;
    // A reset of the whole disk is recorded only because of what is elsewhere, even when that is done.
    if (isWhole === true ? written === undefined : elsewhere.length === 0 && removed.length === 0)
      return undefined;
    return { removed, elsewhere, keepsMeta: keepsMeta === true, isWhole: isWhole === true };
  } catch {
    return undefined;
  }
}

function identityFrom(pair: unknown): PartitionIdentity | undefined {
  const [disk, partition] = Array.isArray(pair) ? (pair as readonly unknown[]) : [];
  return isGuid(disk) && isGuid(partition) ? { disk, partition } : undefined;
}

/** The record when these partitions of other disks are done; undefined when the reset is complete. */
export function withoutDone(
  record: ResetRecord | undefined,
  isDone: (target: PartitionIdentity) => boolean,
): ResetRecord | undefined {
  if (record === undefined) return undefined;
  const elsewhere = record.elsewhere.filter((target) => !isDone(target));
  const isComplete = elsewhere.length === 0 && record.removed.length === 0 && !record.isWhole;
  return isComplete ? undefined : { ...record, elsewhere };
}

/** Each partition once, as many as a record holds. */
export function mergedIdentities(...lists: readonly (readonly PartitionIdentity[])[]): PartitionIdentity[] {
  const all = new Map(lists.flat().map(({ disk, partition }) => [partition, { disk, partition }]));
  return [...all.values()].slice(-maxElsewhere);
}
