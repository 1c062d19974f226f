import type { Timers } from '@nodewright/async';

interface Due {
  /** Since the beginning. */
  readonly atMs: number;
  readonly action: () => void;
}

/** Time that only the test advances. */
export class FakeTimers implements Timers {
  #elapsedMs = 0;
  /** What the clock showed at the beginning, after all steps of the clock. */
  #beganMs: number;
  readonly #due = new Set<Due>();

  /** @param nowMs Unix ms at the beginning. */
  constructor(nowMs = Date.UTC(2026, 0, 1)) {
    this.#beganMs = nowMs;
  }

  now(): number {
    return this.#beganMs + this.#elapsedMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, action: () => void): Disposable {
    const due = { atMs: this.#elapsedMs + Math.max(delayMs, 0), action };
    this.#due.add(due);
    return { [Symbol.dispose]: () => void this.#due.delete(due) };
  }

  /** When the next timer fires, Unix ms; undefined without a timer. */
  get nextMs(): number | undefined {
    const next = this.#next();
    return next && this.#beganMs + next.atMs;
  }

  /** Sets the clock forward or back. Timers do not notice. */
  stepClock(ms: number): void {
    this.#beganMs += ms;
  }

  /** Passes time without a timer, as work that holds the event loop does: what is due meanwhile fires late. */
  block(ms: number): void {
    this.#elapsedMs += ms;
  }

  /**
   * Advances to the next timer that is due by `untilMs`, and fires it. False: there is none, and time is
   * `untilMs` now.
   */
  step(untilMs: number): boolean {
    const next = this.#next();
    if (next === undefined || this.#beganMs + next.atMs > untilMs) {
      this.#elapsedMs = Math.max(this.#elapsedMs, untilMs - this.#beganMs);
      return false;
    }
    this.#due.delete(next);
    this.#elapsedMs = Math.max(this.#elapsedMs, next.atMs);
    next.action();
    return true;
  }

  #next(): Due | undefined {
    let first: Due | undefined;
    // Of several timers for the same time, the one that was set first.
    for (const due of this.#due) if (first === undefined || due.atMs < first.atMs) first = due;
    return first;
  }
}
