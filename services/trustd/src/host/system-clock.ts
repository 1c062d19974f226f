import type { Clock } from '../domain/clock.ts';

/** The clock of this machine. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  sleep(durationMs, signal) {
    if (signal.aborted) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, durationMs);
    signal.addEventListener('abort', () => resolve(), { once: true });
    return promise.finally(() => clearTimeout(timer));
  },
};
