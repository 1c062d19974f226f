import type { Timers } from '@nodewright/async';

/** Lets so many lines into the log in a time, whatever a host of the network causes. */
export class LimitedLines {
  readonly #timers: Pick<Timers, 'monotonicMs'>;
  readonly #eachMs: number;
  readonly #most: number;
  readonly #onTooMany: () => void;
  #sinceMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  /** @param onTooMany called with the first line that is left out in a time */
  constructor(
    timers: Pick<Timers, 'monotonicMs'>,
    { most, eachMs }: { readonly most: number; readonly eachMs: number },
    onTooMany = () => {},
  ) {
    this.#timers = timers;
    this.#eachMs = eachMs;
    this.#most = most;
    this.#onTooMany = onTooMany;
  }

  /** Writes, unless there were too many. */
  write(line: () => void): void {
    const now = this.#timers.monotonicMs();
    if (now - this.#sinceMs >= this.#eachMs) {
      this.#sinceMs = now;
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count <= this.#most) line();
    if (this.#count === this.#most + 1) this.#onTooMany();
  }
}
