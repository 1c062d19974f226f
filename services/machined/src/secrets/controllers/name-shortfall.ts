import { askAgainPauseMs, longestAskAgainMs } from '../domain/lacking-names.ts';

/**
 * When a worker asks again for a certificate because the one that it holds lacks names or addresses of its own, such as an address that
 * still belonged to another node when it was asked for. Times are those of a monotonic clock: a clock that is set back delays nothing.
 */
export class NameShortfall {
  readonly #random: () => number;
  #lacking: readonly string[] = [];
  #asked = 0;
  #dueAtMs = Number.POSITIVE_INFINITY;

  /** @param random returns numbers from 0 to below 1 */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** Takes note of what the certificate lacks. Returns whether that has changed. */
  note(lacking: readonly string[], nowMs: number): boolean {
    if (lacking.join(' ') === this.#lacking.join(' ')) return false;
    this.#lacking = lacking;
    this.#asked = 0;
    this.#pause(nowMs);
    return true;
  }

  /** Whether to ask now. */
  isDue(nowMs: number): boolean {
    return this.#lacking.length > 0 && nowMs >= this.#dueAtMs;
  }

  /** When to look again, in ms from now; undefined when nothing is to be asked. */
  delayMs(nowMs: number): number | undefined {
    if (this.#lacking.length === 0 || this.#dueAtMs === Number.POSITIVE_INFINITY) return undefined;
    return Math.max(0, this.#dueAtMs - nowMs);
  }

  /** It was asked, and the names are still lacking. */
  asked(nowMs: number): void {
    this.#asked += 1;
    this.#pause(nowMs);
  }

  /** trustd has refused the names. The other node that has them may leave, so it is asked again, but seldom. */
  refused(nowMs: number): void {
    this.#dueAtMs = nowMs + longestAskAgainMs(this.#random);
  }

  #pause(nowMs: number): void {
    this.#dueAtMs =
      this.#lacking.length === 0
        ? Number.POSITIVE_INFINITY
        : nowMs + askAgainPauseMs(this.#asked, this.#random);
  }
}
