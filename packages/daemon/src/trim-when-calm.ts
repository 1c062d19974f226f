import { performance } from 'node:perf_hooks';
import { trimHeapGently } from './trim-heap.ts';

/** How often a daemon looks at its memory, in milliseconds. */
const intervalMs = 5000;
/** Less than this above its level is not worth a collection, in bytes. */
const worthBytes = 16 * 1024 * 1024;
/** Share of the time that the event loop may have been busy since the last look: in the middle of a burst nothing is free yet. */
const calmShare = 0.3;
/** After a collection that gave little back the next one waits twice as long, up to `longPauseMs`, in milliseconds. */
const leastPauseMs = 10_000;
/** Clients that hold many calls open may end them at any time: then the memory is free within a minute. */
const longPauseMs = 40_000;
/** After so many collections in a row that gave little back the memory counts as in use for good. */
const patience = 15;
const longestPauseMs = 600_000;

export interface MemorySample {
  /** Resident memory of the process. */
  readonly residentBytes: number;
  /** Share of the time since the last sample in which the event loop was busy, 0 to 1. */
  readonly busyShare: number;
  /** Monotonic. */
  readonly nowMs: number;
}

/** Decides when memory that a burst of work has left behind is worth a collection. */
export class CalmTrim {
  #lowestBytes = Number.POSITIVE_INFINITY;
  #notBeforeMs = 0;
  #pauseMs = leastPauseMs;
  /** What the last collection left. */
  #leftBytes = Number.POSITIVE_INFINITY;
  /** Collections in a row that gave little back. */
  #fruitless = 0;

  /** Whether to collect now. Tell the outcome with `trimmed`. */
  sample({ residentBytes, busyShare, nowMs }: MemorySample): boolean {
    this.#lowestBytes = Math.min(this.#lowestBytes, residentBytes);
    if (residentBytes > this.#leftBytes + worthBytes) {
      // Another burst.
      this.#fruitless = 0;
      this.#pauseMs = leastPauseMs;
      this.#notBeforeMs = Math.min(this.#notBeforeMs, nowMs + leastPauseMs);
    }
    return (
      busyShare < calmShare && nowMs >= this.#notBeforeMs && residentBytes > this.#lowestBytes + worthBytes
    );
  }

  /** Memory that is in use is not given back: it is tried again later, less often after many times. */
  trimmed({ residentBytes, nowMs }: MemorySample, leftBytes: number): void {
    const isWorth = residentBytes - leftBytes >= worthBytes / 2;
    this.#fruitless = isWorth ? 0 : this.#fruitless + 1;
    this.#leftBytes = leftBytes;
    if (isWorth) this.#pauseMs = leastPauseMs;
    else if (this.#fruitless > patience) this.#pauseMs = longestPauseMs;
    else this.#pauseMs = Math.min(2 * this.#pauseMs, longPauseMs);
    this.#notBeforeMs = nowMs + this.#pauseMs;
  }
}

/**
 * Gives memory back after a burst of work, once the daemon is calm again: V8 keeps what it needed, because a process
 * at rest never asks for a collection, and the allocator of the C library keeps what was freed.
 */
export function trimWhenCalm(): void {
  const trim = new CalmTrim();
  let isTrimming = false;
  let since = performance.eventLoopUtilization();
  const look = async () => {
    const now = performance.eventLoopUtilization();
    const busyShare = performance.eventLoopUtilization(now, since).utilization;
    since = now;
    const sample = { residentBytes: process.memoryUsage.rss(), busyShare, nowMs: performance.now() };
    if (isTrimming || !trim.sample(sample)) return;
    isTrimming = true;
    await trimHeapGently();
    isTrimming = false;
    trim.trimmed({ ...sample, nowMs: performance.now() }, process.memoryUsage.rss());
  };
  setInterval(() => void look(), intervalMs).unref();
}
