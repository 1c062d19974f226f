import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readPageSizeBytes } from '@nodewright/linux';
import type { WatchedDaemon } from '../target/open-target.ts';

const sampleMs = 200;
/** A daemon with more memory than this ends the run, in MB, before it can exhaust the machine. */
const endOfRunMb = 1000;

/** Watches the resident memory of daemons, in MB (1e6 bytes). */
export class MemoryWatch implements Disposable {
  readonly daemons: readonly WatchedDaemon[];
  readonly #pageBytes = readPageSizeBytes();
  readonly #peaks = new Map<number, number>();
  readonly #timer: NodeJS.Timeout;
  readonly #over = new AbortController();

  constructor(daemons: readonly WatchedDaemon[]) {
    this.daemons = daemons;
    this.#timer = setInterval(() => this.#sample(), sampleMs);
  }

  /** Aborts when a daemon has exited or uses more than 1 GB; the reason names it. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  now({ pid }: WatchedDaemon): number {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
    return (pages * this.#pageBytes) / 1e6;
  }

  /** The highest value since the last call of `forgetPeaks`. */
  peak({ pid }: WatchedDaemon): number {
    return this.#peaks.get(pid) ?? 0;
  }

  forgetPeaks(): void {
    this.#peaks.clear();
  }

  /**
   * Waits until every daemon is at most `allowedMb` above its level, for at most `timeoutMs`. Returns the
   * daemons that are still above it, and by how much.
   */
  async settle(
    levels: ReadonlyMap<number, number>,
    allowedMb: number,
    timeoutMs: number,
  ): Promise<{ readonly daemon: WatchedDaemon; readonly aboveMb: number }[]> {
    const endMs = performance.now() + timeoutMs;
    for (;;) {
      const above = this.daemons.map((daemon) => ({
        daemon,
        aboveMb: this.now(daemon) - (levels.get(daemon.pid) ?? 0),
      }));
      const late = above.filter(({ aboveMb }) => aboveMb > allowedMb);
      if (late.length === 0 || performance.now() > endMs) return late;
      await sleep(1000, undefined, { signal: this.over });
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    for (const daemon of this.daemons) {
      try {
        const megabytes = this.now(daemon);
        this.#peaks.set(daemon.pid, Math.max(this.peak(daemon), megabytes));
        if (megabytes > endOfRunMb) this.#end(`${daemon.name} has ${Math.round(megabytes)} MB`);
      } catch {
        this.#end(`${daemon.name} has ended`);
      }
    }
  }

  #end(reason: string): void {
    if (!this.over.aborted) this.#over.abort(new Error(reason));
  }
}
