import { type ExponentialDelay, exponentialDelayMs } from '@nodewright/async';

/** The pauses before a service that failed starts again. A service that ran for longer than the longest one has the first again. */
const pauses: ExponentialDelay = { firstMs: 5_000, factor: 2, longestMs: 300_000 };

/** Decides when a service that failed starts again: after a pause that grows, or at once with other settings. */
export class FailedStarts {
  #settings: string | undefined;
  #startedMs = 0;
  #failures = 0;
  #dueMs: number | undefined;

  /** Records a start with these settings. */
  started(settings: string | undefined, nowMs: number): void {
    if (settings !== this.#settings) this.#failures = 0;
    this.#settings = settings;
    this.#startedMs = nowMs;
    this.#dueMs = undefined;
  }

  /** How long a service that has failed stays down, in ms from now; 0 when it is to start. */
  pauseMs(settings: string | undefined, nowMs: number): number {
    if (settings !== this.#settings) return 0;
    if (this.#dueMs === undefined) {
      if (nowMs - this.#startedMs > pauses.longestMs) this.#failures = 0;
      this.#failures += 1;
      this.#dueMs = nowMs + exponentialDelayMs(pauses, this.#failures);
    }
    return Math.max(0, this.#dueMs - nowMs);
  }
}
