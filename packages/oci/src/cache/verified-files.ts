import type { BigIntStats } from 'node:fs';

const limit = 1024;

/**
 * Remembers files whose digest this process has verified, and files that were found damaged. Only reads of a part of a file
 * rely on it: without it a client that asks for single bytes would make the process read whole files again and again. A
 * client that joins parts verifies the whole. A file is the same one while its inode, size and times are.
 */
export class VerifiedFiles {
  readonly #verdicts = new Map<string, 'good' | 'damaged'>();

  verdictOf(stats: BigIntStats): 'good' | 'damaged' | undefined {
    return this.#verdicts.get(keyOf(stats));
  }

  record(stats: BigIntStats, verdict: 'good' | 'damaged'): void {
    const key = keyOf(stats);
    this.#verdicts.delete(key);
    this.#verdicts.set(key, verdict);
    const [oldest = ''] = this.#verdicts.keys();
    if (this.#verdicts.size > limit) this.#verdicts.delete(oldest);
  }
}

const keyOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats) =>
  [dev, ino, size, mtimeNs, ctimeNs].join(':');
