import { anonymousMemoryBytes } from './anonymous-memory.ts';
import { releaseMemory } from './release-memory.ts';
import { trimHeap, trimHeapGently } from './trim-heap.ts';

/**
 * Least time after the start before its memory is freed, in milliseconds. The collections take a third of the processor time of the first half
 * minute of a daemon, which the other daemons of a node that starts need, and a daemon that ends soon never needs them.
 */
const startRestMs = 40_000;
/** The same in times of the start: on a slow machine what follows the start takes longer, too. */
const restStarts = 2;
/** How often a daemon checks its memory, in milliseconds. */
const intervalMs = 5000;
/**
 * A collection is worth its cost when the anonymous memory exceeds its lowest level by this share. Every daemon must return to
 * within a fifth of its resident memory. About half of that is anonymous, and pages of the program that were read again count, too.
 */
const worthShare = 1 / 4;
/**
 * How long the main thread must have been calm, in milliseconds. V8 discards much of the compiled code in a collection, so the next
 * thousands of calls take a quarter (machined) to two fifths (apid) more processor time. After load, the memory must be free within a minute.
 */
const calmMs = 20_000;
/**
 * The main thread is calm when its share of processor time is at most twice that of its calmest time so far, and a little: a daemon in an
 * emulator uses thirty times as much when it is idle as another one.
 */
const calmFactor = 2;
const calmMargin = 0.02;
/** A daemon that has had work since its start does not know its calmest time. */
const mostCalmShare = 0.4;
/** A daemon that always has a little work collects after so long without more than that share, in milliseconds. */
const lightWorkMs = 300_000;
/**
 * A daemon that always has a little work never becomes calm. V8 then lets garbage grow to the size of its heap, and the C library keeps
 * freed memory that lies between blocks in use. So such a daemon also collects when its anonymous memory is this multiple of its lowest level.
 */
const mostLightGrowth = 1.5;
/** More than this share of a processor is not a little: apid with one client that sends request after request uses 0.3, and needs its compiled code. */
const mostLightShare = 0.2;
/** How long the share must have been at most that, in milliseconds. */
const leastLightMs = 30_000;
/**
 * The least pause between two collections of a daemon that is not calm, and between two returns of memory beside a little work, in
 * milliseconds. A client can cause no more of them.
 */
const lightPauseMs = 60_000;
/**
 * The pause after a useful collection, in milliseconds. After one that freed little it doubles, up to
 * `longPauseMs`.
 */
const leastPauseMs = 10_000;
/**
 * Longest usual pause, in milliseconds. Clients with many open calls may end them at any time; the memory is
 * then freed within a minute.
 */
const longPauseMs = 40_000;
/** After this many collections in a row that freed little, the memory counts as permanently in use. */
const patience = 15;
const longestPauseMs = 600_000;
/**
 * The pause is at least this many times as long as the daemon stood still for the collection. In an emulator that is a second, in which
 * it answers nobody.
 */
const pausePerBlocked = 50;

export interface MemorySample {
  /** As `anonymousMemoryBytes()` returns it. */
  readonly anonymousBytes: number;
  /** Share of the time since the last sample in which the main thread used the processor, from 0 to 1. */
  readonly busyShare: number;
  /** Monotonic. */
  readonly nowMs: number;
}

/**
 * What to do with the memory: free what the start has left behind, collect garbage, only return what is free and unmap the program, or
 * nothing.
 */
export type CalmAction = 'free-start' | 'collect' | 'release' | 'nothing';

/** Decides when to free the memory that the start and each burst of work have left behind. */
export class CalmTrim {
  /** Until then, and until the daemon is calm, it keeps the memory of its start. `undefined`: that is freed. */
  #startRestsUntilMs: number | undefined;
  #lowestBytes = Number.POSITIVE_INFINITY;
  #notBeforeMs = 0;
  #trimmedAtMs = Number.NEGATIVE_INFINITY;
  #pauseMs = leastPauseMs;
  /** Anonymous memory after the last collection, in bytes. */
  #leftBytes = Number.POSITIVE_INFINITY;
  /** Collections in a row that freed little. */
  #fruitless = 0;
  /** The least pause for what the last collection has cost. */
  #costPauseMs = 0;
  #lowestShare = Number.POSITIVE_INFINITY;
  /** The end of the last sample that was not calm, and of the last ones above `mostCalmShare` and `mostLightShare`. */
  #busyAtMs = 0;
  #loadedAtMs = 0;
  #workedAtMs = 0;
  /** Nothing was returned since the main thread was busy. */
  #releaseDue = false;
  #releasedAtMs = Number.NEGATIVE_INFINITY;

  /** @param startMs how long the start took; without it, the memory of the start counts as freed */
  constructor(startMs?: number) {
    if (startMs !== undefined) this.#startRestsUntilMs = Math.max(startRestMs, restStarts * startMs);
  }

  /** What to do now. Report the result of a collection with `trimmed`. */
  sample({ anonymousBytes, busyShare, nowMs }: MemorySample): CalmAction {
    this.#lowestBytes = Math.min(this.#lowestBytes, anonymousBytes);
    const isCalm = this.#isCalm(busyShare, nowMs);
    const worthBytes = worthShare * this.#lowestBytes;
    if (anonymousBytes > this.#leftBytes + worthBytes) {
      // A new burst has begun.
      this.#fruitless = 0;
      this.#pauseMs = leastPauseMs;
      this.#notBeforeMs = Math.min(this.#notBeforeMs, nowMs + Math.max(leastPauseMs, this.#costPauseMs));
    }
    if (!isCalm) return this.#isLargeForLightWork(anonymousBytes, nowMs) ? 'collect' : 'nothing';
    if (this.#startRestsUntilMs !== undefined) {
      if (nowMs < this.#startRestsUntilMs) return 'nothing';
      this.#startRestsUntilMs = undefined;
      this.#releaseDue = false;
      return 'free-start';
    }
    const isWorth = nowMs >= this.#notBeforeMs && anonymousBytes > this.#lowestBytes + worthBytes;
    // After work; beside a little work that goes on, once a minute, and once more when it has ended.
    const hasEnded = nowMs - this.#busyAtMs >= calmMs;
    const mayRelease = this.#releaseDue && (hasEnded || nowMs >= this.#releasedAtMs + lightPauseMs);
    const action = isWorth ? 'collect' : mayRelease ? 'release' : 'nothing';
    // A collection returns memory, too.
    if (action !== 'nothing') this.#releasedAtMs = nowMs;
    if (hasEnded) this.#releaseDue = false;
    return action;
  }

  /** Whether to collect although the daemon is not calm. Not before the memory of the start was freed, because that comes first. */
  #isLargeForLightWork(anonymousBytes: number, nowMs: number): boolean {
    if (this.#startRestsUntilMs !== undefined || nowMs - this.#workedAtMs < leastLightMs) return false;
    const notBeforeMs = Math.max(this.#notBeforeMs, this.#trimmedAtMs + lightPauseMs);
    return nowMs >= notBeforeMs && anonymousBytes > mostLightGrowth * this.#lowestBytes;
  }

  #isCalm(busyShare: number, nowMs: number): boolean {
    this.#lowestShare = Math.min(this.#lowestShare, busyShare);
    const most = Math.min(calmFactor * this.#lowestShare + calmMargin, mostCalmShare);
    if (busyShare > most) {
      this.#busyAtMs = nowMs;
      this.#releaseDue = true;
    }
    if (busyShare > mostCalmShare) this.#loadedAtMs = nowMs;
    if (busyShare > mostLightShare) this.#workedAtMs = nowMs;
    return nowMs - this.#busyAtMs >= calmMs || nowMs - this.#loadedAtMs >= lightWorkMs;
  }

  /**
   * Records the result of a collection. If it freed little, the next one comes later, and much later after
   * many such results.
   *
   * @param blockedMs how long the collection blocked the daemon
   */
  trimmed({ anonymousBytes, nowMs }: MemorySample, leftBytes: number, blockedMs: number): void {
    const isWorth = anonymousBytes - leftBytes >= (worthShare * this.#lowestBytes) / 2;
    this.#fruitless = isWorth ? 0 : this.#fruitless + 1;
    this.#leftBytes = leftBytes;
    this.#trimmedAtMs = nowMs;
    if (isWorth) this.#pauseMs = leastPauseMs;
    else if (this.#fruitless > patience) this.#pauseMs = longestPauseMs;
    else this.#pauseMs = Math.min(2 * this.#pauseMs, longPauseMs);
    this.#costPauseMs = pausePerBlocked * blockedMs;
    this.#notBeforeMs = nowMs + Math.max(this.#pauseMs, this.#costPauseMs);
  }
}

/** Monotonic. The first use of `performance` would load all of `node:perf_hooks`. */
const elapsedMs = () => process.uptime() * 1000;

/**
 * Frees memory after the start and after each burst of work, once the daemon is calm. V8 keeps the heap of the burst, because
 * an idle process never triggers a collection, and the C library keeps the freed blocks.
 *
 * @param startMs how long the start took
 */
export function trimWhenCalm(startMs: number): void {
  const trim = new CalmTrim(startMs);
  let isTrimming = false;
  let since = { cpu: process.threadCpuUsage(), ms: elapsedMs() };
  const look = async () => {
    const now = { cpu: process.threadCpuUsage(), ms: elapsedMs() };
    const cpuMs = (now.cpu.user + now.cpu.system - since.cpu.user - since.cpu.system) / 1000;
    const sample = {
      anonymousBytes: anonymousMemoryBytes(),
      busyShare: cpuMs / (now.ms - since.ms),
      nowMs: now.ms,
    };
    since = now;
    if (isTrimming) return;
    const action = trim.sample(sample);
    if (action === 'nothing') return;
    if (action === 'release') return releaseMemory();
    isTrimming = true;
    if (action === 'free-start') {
      await trimHeap();
      // Eight collections, once: they say nothing about how much a later one frees, or how long it takes.
      isTrimming = false;
      return;
    }
    const blockedMs = await trimHeapGently();
    isTrimming = false;
    trim.trimmed({ ...sample, nowMs: elapsedMs() }, anonymousMemoryBytes(), blockedMs);
  };
  setInterval(() => void look(), intervalMs).unref();
}
