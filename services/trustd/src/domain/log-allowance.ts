export interface LogAllowanceLimits {
  readonly logBurst: number;
  readonly logPerSecond: number;
}

/** Limits the log lines about anonymous calls: a token bucket that counts the omitted lines. */
export class LogAllowance {
  readonly #limits: LogAllowanceLimits;
  #lines: number;
  #filledMs: number | undefined;
  #dropped = 0;

  constructor(limits: LogAllowanceLimits) {
    this.#limits = limits;
    this.#lines = limits.logBurst;
  }

  /**
   * Returns the number of lines omitted since the last allowed one, or `undefined` when this line must be
   * omitted too.
   */
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
