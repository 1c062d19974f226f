export interface CancelLimits {
  /** Cancels that are passed on at once, and then in each interval. */
  readonly perTurn: number;
  /** In milliseconds. */
  readonly intervalMs: number;
  /** Cancels that wait. More are passed on at once. */
  readonly waiting: number;
}

/**
 * Passes cancels on to backends a few at a time. A client that goes away with hundreds of open calls would else keep the
 * daemon behind busy with nothing but their ends: 2,048 watches that ended at once stopped machined for 180 ms. Callers
 * take turns, so that nobody's cancel waits behind all of those of another.
 */
export class CancelTurns {
  readonly #limits: CancelLimits;
  /** By caller, who waits longest for a turn is first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #count = 0;
  /** What is left of this turn. */
  #left: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: CancelLimits) {
    this.#limits = limits;
    this.#left = limits.perTurn;
  }

  /** Runs `cancel` now, or when it is the caller's turn. */
  add(caller: string, cancel: () => void): void {
    if (this.#count >= this.#limits.waiting) {
      cancel();
      return;
    }
    const own = this.#waiting.get(caller);
    if (own !== undefined) own.push(cancel);
    else this.#waiting.set(caller, [cancel]);
    this.#count += 1;
    this.#run();
  }

  #run(): void {
    while (this.#left > 0) {
      const [entry] = this.#waiting;
      if (entry === undefined) break;
      const [caller, own] = entry;
      const cancel = own.shift();
      this.#waiting.delete(caller);
      if (own.length > 0) this.#waiting.set(caller, own);
      this.#count -= 1;
      this.#left -= 1;
      cancel?.();
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#left = this.#limits.perTurn;
      if (this.#count > 0) this.#run();
    }, this.#limits.intervalMs);
    this.#timer.unref();
  }
}
