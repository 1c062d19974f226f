/** A token bucket: it holds `burst` tokens at first, and gains `perSecond` of them back. */
export interface RateLimits {
  readonly burst: number;
  readonly perSecond: number;
}

/** Counts events against a rate. The clock is the caller's: monotonic milliseconds. */
export class TokenBucket {
  readonly #limits: RateLimits;
  #tokens: number;
  #filledAt: number | undefined;

  constructor(limits: RateLimits) {
    this.#limits = limits;
    this.#tokens = limits.burst;
  }

  /** Takes one token. False: there was none. */
  take(nowMs: number): boolean {
    this.#fill(nowMs);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Whether nothing was taken lately: the bucket may be forgotten. */
  isFull(nowMs: number): boolean {
    this.#fill(nowMs);
    return this.#tokens >= this.#limits.burst;
  }

  #fill(nowMs: number): void {
    const elapsedMs = Math.max(0, nowMs - (this.#filledAt ?? nowMs));
    this.#filledAt = nowMs;
    this.#tokens = Math.min(this.#limits.burst, this.#tokens + (elapsedMs / 1000) * this.#limits.perSecond);
  }
}
