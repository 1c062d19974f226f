/** Time as it is given to those that are tested in a time of their own: what it is, and being called later. */
export interface Timers {
  /** Unix ms. */
  now(): number;
  /** Calls `action` once after `delayMs`, unless what it gives is disposed before. */
  after(delayMs: number, action: () => void): Disposable;
}

/** The longest time that a timer of the host takes, in ms; asked for longer ones it fires at once. */
const longestMs = 2 ** 31 - 1;

/** The clock and the timers of the host. A timer does not keep the process alive. */
export const systemTimers: Timers = {
  now: () => Date.now(),
  after(delayMs, action) {
    const timer = setTimeout(action, Math.min(Math.max(delayMs, 0), longestMs));
    timer.unref();
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};
