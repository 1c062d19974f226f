import { readFileSync } from 'node:fs';
import { readPageSizeBytes } from '@nodewright/linux';

/** Resident memory of a process while something ran, in MB (1e6 bytes). */
export interface MemoryTrack {
  readonly before: number;
  /** The peak in each half of the time. When memory levels off, the second is not above the first. */
  readonly firstHalf: number;
  readonly secondHalf: number;
  /** Some time later. */
  readonly after: number;
}

export interface MemorySample {
  readonly atMs: number;
  readonly rss: number;
}

const sampleMs = 20;

/**
 * Samples the resident memory of a process until the returned function is called with the time at which the
 * work ended.
 */
export function trackMemory(pid: number): (workEndedAtMs: number) => MemoryTrack {
  const samples: MemorySample[] = [];
  const pageBytes = readPageSizeBytes();
  const sample = () => {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
    samples.push({ atMs: performance.now(), rss: (pages * pageBytes) / 1e6 });
  };
  sample();
  const timer = setInterval(sample, sampleMs);
  return (workEndedAtMs) => {
    clearInterval(timer);
    sample();
    return summarizeMemory(samples, workEndedAtMs);
  };
}

/** Samples are in the order of their time, the first taken before the work began. Throws without any. */
export function summarizeMemory(samples: readonly MemorySample[], workEndedAtMs: number): MemoryTrack {
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined) throw new Error('no samples');
  const middle = (first.atMs + workEndedAtMs) / 2;
  const highest = (from: number, to: number, otherwise: number) => {
    const within = samples.filter(({ atMs }) => atMs >= from && atMs <= to).map(({ rss }) => rss);
    return within.length > 0 ? Math.max(...within) : otherwise;
  };
  const firstHalf = highest(first.atMs, middle, first.rss);
  return {
    before: first.rss,
    firstHalf,
    secondHalf: highest(middle, workEndedAtMs, firstHalf),
    after: last.rss,
  };
}
