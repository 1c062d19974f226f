import { volumeIds, wipeableVolumes } from '@nodewright/contract/volumes';
import { Fault } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { identityText } from '../domain/plan/volume-plan.ts';
import {
  movableVolumes,
  type PartitionIdentity,
  placesWithout,
  type RecordedPlaces,
} from '../domain/recorded-places.ts';
import { mergedIdentities, type ResetRecord, withoutDone } from '../domain/reset-record.ts';
import type { MetaOnDisk } from './meta-on-disk.ts';
import type { OtherDisks } from './other-disks.ts';
import type { SystemDisk } from './system-disk.ts';

export interface PartitionWipeInit {
  readonly disk: Pick<SystemDisk, 'remove' | 'removeAll' | 'beginReset'>;
  readonly others: Pick<OtherDisks, 'remove' | 'close'>;
  readonly meta: Pick<MetaOnDisk, 'changeRecords'>;
  /** Ends the use of the volumes, and detaches them. */
  readonly release: () => Promise<void>;
  readonly log: Pick<Logger, 'warn'>;
}

export interface PartitionWipePlan {
  /** Labels. */
  readonly volumes: readonly string[];
  /** The whole disk: nothing can be started from it any more. */
  readonly isWhole: boolean;
}

/**
 * Wipes the volumes of a machine. One write decides: before it nothing has changed, and after it the next start creates the volumes
 * anew. That is the removal from the partition table, or, when META is wiped with other volumes or a volume is on another disk, the write
 * that records the reset in META. META stays a partition, without values. A partition of another disk that is not there stays recorded.
 *
 * @throws Fault; `failed-precondition` when the whole disk cannot be wiped yet, because then nothing would know what is left on another one.
 * A second reset gives up what the first one has named
 */
export async function wipePartitions(
  { disk, others, meta, release, log }: PartitionWipeInit,
  { volumes, isWhole }: PartitionWipePlan,
): Promise<void> {
  disk.beginReset();
  others.close();
  await release();
  const wanted = isWhole ? [] : volumes.filter((label) => label !== volumeIds.meta);
  let removed = wanted;
  const hasMeta = volumes.includes(volumeIds.meta);
  let isSecond = false;
  /** What an earlier reset of the whole disk has named as left: only that is given up by a second one. */
  let named: readonly PartitionIdentity[] = [];
  let isRecorded = false;
  let unknown: readonly string[] = [];
  const { reset } = await meta.changeRecords(({ places, reset: earlier }) => {
    const wiped = isWhole ? wipeableVolumes : volumes;
    const own = places === 'lost' ? [] : [...places].filter(([id]) => wiped.includes(id));
    const elsewhere = mergedIdentities(
      earlier?.elsewhere ?? [],
      own.map(([, place]) => place),
    );
    if (places === 'lost') unknown = movableVolumes.filter((id) => wiped.includes(id));
    isSecond = earlier?.isWhole === true;
    named = isSecond ? (earlier?.elsewhere ?? []) : [];
    // What an earlier reset has not done yet stays to be done.
    removed = isWhole ? [] : [...new Set([...(earlier?.removed ?? []), ...wanted])];
    isRecorded = elsewhere.length > 0 || (!isWhole && (isSecond || (hasMeta && removed.length > 0)));
    const next = { places: placesWithout(places, wiped) };
    if (!isRecorded && hasMeta && !isWhole) return { ...next, reset: undefined, clearsValues: true };
    if (!isRecorded) return isSamePlaces(places, next.places) ? undefined : next;
    // A whole reset that cannot be completed keeps the rest of META: the machine is still this one.
    const keepsMeta = isWhole || (!hasMeta && earlier?.keepsMeta !== false);
    const record: ResetRecord = { removed, elsewhere, keepsMeta, isWhole: isWhole || isSecond };
    return { ...next, reset: record, clearsValues: hasMeta && !isWhole };
  });
  if (unknown.length > 0)
    log.warn(
      { volumes: unknown },
      'META was damaged, so it is not known whether these volumes are on other disks: what is on those is not wiped',
    );
  const targets = reset?.elsewhere ?? [];
  const left = await others.remove(targets);
  if (isWhole) {
    if (left.some(({ target }) => !named.some(({ partition }) => partition === target.partition)))
      throw new Fault('failed-precondition', unfinished(left));
    return disk.removeAll();
  }
  if (removed.length > 0) await disk.remove(removed);
  if (isRecorded) await completed(meta, { targets, left, removed, clearsValues: reset?.keepsMeta === false });
}

const isSamePlaces = (a: RecordedPlaces, b: RecordedPlaces) =>
  a === b || (a !== 'lost' && b !== 'lost' && a.size === b.size);

/** What a start has done about a reset. */
export interface FinishedWipe {
  /** Labels of the partitions that were removed from the system disk. */
  readonly removed: readonly string[];
  /** Why something is left, which stays recorded. */
  readonly left: readonly string[];
  /** Nothing is left of the system disk: the machine cannot go on. */
  readonly isWhole: boolean;
}

/**
 * Completes the reset that META records: the power failed before it was done, or a disk was not there. To be called before anything uses
 * the volumes.
 *
 * @returns undefined when META has no such record, or cannot be read, which is reported by what needs its values
 * @throws Fault when the reset cannot be completed
 */
export async function finishWipe({
  disk,
  others,
  meta,
}: {
  readonly disk: Pick<SystemDisk, 'finishRemoval' | 'removeAll'>;
  readonly others: Pick<OtherDisks, 'remove'>;
  readonly meta: Pick<MetaOnDisk, 'readRecords' | 'changeRecords'>;
}): Promise<FinishedWipe | undefined> {
  const { reset } = await meta.readRecords().catch(() => ({ reset: undefined }));
  if (reset === undefined) return undefined;
  const { removed, elsewhere, keepsMeta, isWhole } = reset;
  const left = await others.remove(elsewhere);
  if (isWhole) {
    if (left.length > 0) throw new Fault('failed-precondition', unfinished(left));
    await disk.removeAll();
    return { removed: [], left: [], isWhole };
  }
  if (removed.length > 0) await disk.finishRemoval(removed);
  await completed(meta, { targets: elsewhere, left, removed, clearsValues: !keepsMeta });
  return { removed, left: left.map(reasonOf), isWhole };
}

interface LeftPartition {
  readonly target: PartitionIdentity;
  readonly reason: string;
}

interface DoneWipe {
  /** What was to be wiped on other disks, and what is left of that. */
  readonly targets: readonly PartitionIdentity[];
  readonly left: readonly LeftPartition[];
  /** Labels of partitions that were removed from the system disk. */
  readonly removed: readonly string[];
  readonly clearsValues: boolean;
}

/** What is done goes from the record. What is left elsewhere stays in it, and so does an earlier reset of the whole disk. */
async function completed(
  meta: Pick<MetaOnDisk, 'changeRecords'>,
  { targets, left, removed, clearsValues }: DoneWipe,
): Promise<void> {
  const isLeft = new Set(left.map(({ target }) => target.partition));
  const done = new Set(targets.map(({ partition }) => partition).filter((guid) => !isLeft.has(guid)));
  await meta.changeRecords(({ reset }) => {
    const rest = reset && {
      ...reset,
      removed: reset.removed.filter((label) => !removed.includes(label)),
      keepsMeta: true,
    };
    return { reset: withoutDone(rest, ({ partition }) => done.has(partition)), clearsValues };
  });
}

const reasonOf = ({ target, reason }: LeftPartition) => `${identityText(target)}: ${reason}`;

const unfinished = (left: readonly LeftPartition[]) =>
  `${left.map(reasonOf).join('; ')}: it stays to be wiped, and so does the system disk. Connect the disk and restart the machine, or reset it once more to leave that disk as it is; a machine in maintenance needs a configuration applied before it can be reset`;
