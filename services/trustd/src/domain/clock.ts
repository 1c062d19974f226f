/** The source of time, injected so that tests can control it. */
export interface Clock {
  /** The current time in milliseconds, monotonic. */
  nowMs(): number;
  /** Resolves after `durationMs`, or as soon as `signal` aborts. Never rejects. */
  sleep(durationMs: number, signal: AbortSignal): Promise<void>;
}
