import type { Timers } from '@nodewright/async';

/** Of a timer that is late by less, nothing is noticed; a shorter step would cost more than it finds. */
const stepMs = 50;

export interface EventLoopDelay extends Disposable {
  /** The time by which timers were late since the beginning, in ms: what other work kept from this one. */
  delayMs(): number;
}

/** Measures how late the event loop is, by a timer every 50 ms until it is disposed of. */
export function measureEventLoopDelay(timers: Timers): EventLoopDelay {
  let totalMs = 0;
  let dueMs = timers.monotonicMs() + stepMs;
  const overdueMs = () => Math.max(0, timers.monotonicMs() - dueMs);
  const tick = () => {
    totalMs += overdueMs();
    dueMs = timers.monotonicMs() + stepMs;
    timer = timers.after(stepMs, tick);
  };
  let timer = timers.after(stepMs, tick);
  return {
    delayMs: () => totalMs + overdueMs(),
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}
