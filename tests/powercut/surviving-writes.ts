// What a disk with a volatile cache may hold after a power cut.
import type { SeededRandom } from '../fuzz/seeded-random.ts';
import type { SparseDisk } from './sparse-disk.ts';
import { type LogEntry, logSectorBytes } from './write-log.ts';

export interface CutLog {
  /** Everything up to the last flush: it is on the disk. */
  readonly durable: readonly LogEntry[];
  /** Everything after it: each write may be on the disk or not. */
  readonly pending: readonly LogEntry[];
}

/**
 * Divides what was recorded until the power failed.
 *
 * @param cutBefore the request before whose completion that was, counting from 1: a flush has not happened then, a write may be
 * on the disk. Undefined when all requests were complete
 */
export function divideAtFlush(entries: readonly LogEntry[], cutBefore?: number): CutLog {
  const begun = entries.slice(0, cutBefore);
  const complete = begun.at(-1)?.kind === 'flush' && cutBefore !== undefined ? begun.slice(0, -1) : begun;
  const last = complete.findLastIndex(({ kind }) => kind === 'flush');
  return { durable: complete.slice(0, last + 1), pending: complete.slice(last + 1) };
}

/** Whether the request is on the disk although no flush has followed. */
export const isForced = (entry: LogEntry) => entry.kind === 'write' && entry.isForced;

/** How much of a write is on the disk: all, nothing, or some of its sectors. Of ten: four, four and two. */
const choices = ['kept', 'kept', 'kept', 'kept', 'lost', 'lost', 'lost', 'lost', 'torn', 'torn'] as const;

/**
 * Chooses which of the pending writes are on the disk. A disk writes a sector as a whole and may write sectors in any
 * order. A discard that is on the disk reads as zeros.
 */
export function chooseSurvivors(pending: readonly LogEntry[], random: SeededRandom): LogEntry[] {
  return pending.flatMap((entry) => {
    if (isForced(entry)) return [entry];
    const choice = random.pick(choices);
    if (choice === 'kept') return [entry];
    if (choice === 'lost' || entry.kind !== 'write') return [];
    return sectorsOf(entry).filter(() => random.below(2) === 0);
  });
}

function sectorsOf(entry: Extract<LogEntry, { kind: 'write' }>): LogEntry[] {
  return Array.from({ length: entry.bytes.length / logSectorBytes }, (_, index) => ({
    ...entry,
    at: entry.at + index * logSectorBytes,
    bytes: entry.bytes.subarray(index * logSectorBytes, (index + 1) * logSectorBytes),
  }));
}

/** Applies requests to a disk in their order. */
export function replay(disk: SparseDisk, entries: readonly LogEntry[]): void {
  for (const entry of entries) {
    if (entry.kind === 'write') disk.write(entry.at, entry.bytes);
    else if (entry.kind === 'discard') disk.clear({ from: entry.at, end: entry.at + entry.lengthBytes });
  }
}
