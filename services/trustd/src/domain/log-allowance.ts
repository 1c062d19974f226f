export interface LogAllowanceLimits {
  readonly logBurst: number;
  readonly logPerSecond: number;
}

/** How many log lines strangers may cause: a token bucket that counts what it kept out. */
export class LogAllowance {
  readonly #limits: LogAllowanceLimits;
  #lines: number;
  #filledMs: number | undefined;
  #dropped = 0;

  constructor(limits: LogAllowanceLimits) {
    this.#limits = limits;
    this.#lines = limits.logBurst;
  }

  /** The number of lines left out since the last one that was allowed; undefined when this one is left out too. */
  take(nowMs: number): number | undefined {
    const { logBurst, logPerSecond } = this.#limits;
    const elapsedMs = Math.max(0, nowMs - (this.#filledMs ?? nowMs));
    this.#filledMs = nowMs;
    this.#lines = Math.min(logBurst, this.#lines + (elapsedMs / 1000) * logPerSecond);
    if (this.#lines < 1) {
      this.#dropped += 1;
      return undefined;
    }
    this.#lines -= 1;
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}
