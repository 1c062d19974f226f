// The disks that a machine may find after a power cut, computed from the log of its requests.
import { SeededRandom } from '../fuzz/seeded-random.ts';
import type { SparseDisk } from './sparse-disk.ts';
import { type CutLog, chooseSurvivors, isForced, replay } from './surviving-writes.ts';
import type { LogEntry } from './write-log.ts';

/**
 * Draws what is on the disk after a power cut, `count` times; disks with the same contents are returned once. The first two
 * are those with all and with none of the requests after the last flush.
 */
export function drawImages(
  base: SparseDisk,
  { durable, pending }: CutLog,
  seed: number,
  count: number,
): SparseDisk[] {
  const flushed = base.copy();
  replay(flushed, durable);
  const random = new SeededRandom(seed);
  const drawn = Array.from({ length: count }, (_, index) => {
    if (index === 0) return pending;
    return index === 1 ? pending.filter(isForced) : chooseSurvivors(pending, random);
  });
  return distinct(drawn.map((survivors) => withEntries(flushed, survivors)));
}

/**
 * Disks that ignored the flushes: any of the requests may be lost, in the first one all of them. Machines cannot come back
 * from them, so they show that a broken disk is recognised.
 */
export function drawUnsafeImages(
  base: SparseDisk,
  entries: readonly LogEntry[],
  seed: number,
  count: number,
): SparseDisk[] {
  const random = new SeededRandom(seed);
  return Array.from({ length: count }, (_, index) =>
    withEntries(base, index === 0 ? [] : chooseSurvivors(entries, random)),
  );
}

function withEntries(disk: SparseDisk, entries: readonly LogEntry[]): SparseDisk {
  const copy = disk.copy();
  replay(copy, entries);
  return copy;
}

function distinct(disks: readonly SparseDisk[]): SparseDisk[] {
  return [...new Map(disks.map((disk) => [disk.digest(), disk])).values()];
}
