/** Time, which comes from outside so that tests can move it. */
export interface Clock {
  /** Monotonic milliseconds. */
  nowMs(): number;
  /** Resolves after that many milliseconds, or as soon as `signal` aborts; it never rejects. */
  sleep(durationMs: number, signal: AbortSignal): Promise<void>;
}
