import type { Timers } from '@nodewright/async';

interface Due {
  readonly atMs: number;
  readonly action: () => void;
}

/** Time that only the test advances. */
export class FakeTimers implements Timers {
  #nowMs: number;
  readonly #due = new Set<Due>();

  /** @param nowMs Unix ms at the beginning. */
  constructor(nowMs = Date.UTC(2026, 0, 1)) {
    this.#nowMs = nowMs;
  }

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, action: () => void): Disposable {
    const due = { atMs: this.#nowMs + Math.max(delayMs, 0), action };
    this.#due.add(due);
    return { [Symbol.dispose]: () => void this.#due.delete(due) };
  }

  /** When the next timer fires, Unix ms; undefined without a timer. */
  get nextMs(): number | undefined {
    return this.#next()?.atMs;
  }

  /**
   * Advances to the next timer that is due by `untilMs`, and fires it. False: there is none, and time is
   * `untilMs` now.
   */
  step(untilMs: number): boolean {
    const next = this.#next();
    if (next === undefined || next.atMs > untilMs) {
      this.#nowMs = Math.max(this.#nowMs, untilMs);
      return false;
    }
    this.#due.delete(next);
    this.#nowMs = Math.max(this.#nowMs, next.atMs);
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
