/** Plans take at most this part of the time: after one, as many times its length pass until the next. */
const restsEach = 4;
/** The longest rest, in ms. */
const longestRestMs = 1000;

/**
 * How often plans are made. One of thousands of routes takes a tenth of a second, and its specifications come one by one: with a plan
 * after each of them the machine would do nothing else for minutes.
 */
export class PlanPace {
  #nextMs = Number.NEGATIVE_INFINITY;

  /** How long the next plan must wait, on the monotonic clock in ms; 0 or less: not at all. */
  restMs(nowMs: number): number {
    return this.#nextMs - nowMs;
  }

  /** Says when a plan was made, and for how long. */
  made(begunMs: number, nowMs: number): void {
    this.#nextMs = nowMs + Math.min(longestRestMs, restsEach * (nowMs - begunMs));
  }
}
