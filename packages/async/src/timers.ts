/** A clock and timers, passed as an argument so that a test can control the time. */
export interface Timers {
  /** Unix time in ms. */
  now(): number;
  /** Milliseconds from an arbitrary start. They go on evenly when somebody sets the clock, as the timers do. */
  monotonicMs(): number;
  /** Calls `action` once after `delayMs`, unless the returned object is disposed of before. */
  after(delayMs: number, action: () => void): Disposable;
}

/** The longest delay that Node.js accepts, in ms, about 24 days; a timer with a longer one would fire at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** The clock and the timers of the host. A timer does not keep the process alive. */
export const systemTimers: Timers = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, action) {
    const timer = setTimeout(action, Math.min(Math.max(delayMs, 0), longestTimerMs));
    timer.unref();
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};
