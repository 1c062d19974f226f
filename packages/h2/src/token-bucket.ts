/** A token bucket: it starts with `burst` tokens and gains `perSecond` tokens per second, up to `burst`. */
export interface RateLimits {
  readonly burst: number;
  readonly perSecond: number;
}

/** Limits the rate of events. The caller passes the time in monotonic milliseconds. */
export class TokenBucket {
  readonly #limits: RateLimits;
  #tokens: number;
  #filledAt: number | undefined;

  constructor(limits: RateLimits) {
    this.#limits = limits;
    this.#tokens = limits.burst;
  }

  /** Takes one token. Returns `false` when there is none. */
  take(nowMs: number): boolean {
    this.#fill(nowMs);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Whether the bucket is full, so that it can be forgotten. */
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
