export interface CancelLimits {
  /** Cancels that are forwarded at once, and then per interval. */
  readonly perTurn: number;
  /** Length of an interval, in milliseconds. */
  readonly intervalMs: number;
  /** Maximum number of waiting cancels. Further ones are forwarded at once. */
  readonly waiting: number;
}

/**
 * Forwards cancels to backends a few at a time. Otherwise a client that disconnects with hundreds of open
 * calls would keep the backend busy: 2,048 watches that ended at once blocked machined for 180 ms. Callers
 * take turns, so that the cancels of one caller do not delay those of another.
 */
export class CancelTurns {
  readonly #limits: CancelLimits;
  /** Waiting cancels by caller; the caller that has waited longest for a turn is first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #count = 0;
  /** Cancels that may still be forwarded in this interval. */
  #left: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: CancelLimits) {
    this.#limits = limits;
    this.#left = limits.perTurn;
  }

  /** Runs `cancel` at once, or later when it is the caller's turn. */
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
