import { setTimeout as sleep } from 'node:timers/promises';
import { loadNativeCalls, type NativeCalls } from '@nodewright/linux';

const firstPauseMs = 10;
const longestPauseMs = 1000;
/** The exit code of a process whose status another part of this process has read. */
const unknownCode = 255;
const signalBase = 128;

/**
 * Child processes of this one that another program has started for it: Node.js knows nothing of them. They become its children
 * when that program ends, because this is the first process.
 */
export class AdoptedChildren {
  readonly #calls: () => Promise<Pick<NativeCalls, 'statusOfChild'>>;
  readonly #awaited = new Set<number>();

  constructor(calls: () => Promise<Pick<NativeCalls, 'statusOfChild'>> = loadNativeCalls) {
    this.#calls = calls;
  }

  /** Whether its exit code is awaited, so that no other code may remove it from the process table. */
  isAwaited(pid: number): boolean {
    return this.#awaited.has(pid);
  }

  /**
   * Waits for the end of a process and removes it from the process table.
   *
   * @param probablyEnded resolves when there are signs that it has ended; it is not looked at before
   * @returns 0 to 255; 128 plus the signal number for a process that a signal ended
   */
  async exitCodeOf(pid: number, probablyEnded: Promise<unknown>): Promise<number> {
    this.#awaited.add(pid);
    try {
      const [calls] = await Promise.all([this.#calls(), probablyEnded]);
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
        const status = calls.statusOfChild(pid);
        if (status !== undefined) return exitCodeFrom(status);
        await sleep(pauseMs);
      }
    } catch {
      return unknownCode;
    } finally {
      this.#awaited.delete(pid);
    }
  }
}

/** By the status of waitpid(2). */
function exitCodeFrom(status: number): number {
  const signal = status & 0x7f;
  return signal === 0 ? (status >> 8) & 0xff : signalBase + signal;
}
