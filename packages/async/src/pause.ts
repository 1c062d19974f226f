import { longestTimerMs, type Timers } from './timers.ts';

/** Resolves after `ms`, or as soon as `signal` aborts. Its timer keeps the process alive until then. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) return Promise.resolve();
  const finish = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', finish);
    resolve();
  };
  const timer = setTimeout(finish, Math.min(Math.max(0, ms), longestTimerMs));
  signal.addEventListener('abort', finish);
  return promise;
}

/** Like `pause()`, with the given timers. Those of the host do not keep the process alive. */
export function pauseBy(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) return Promise.resolve();
  const finish = () => {
    timer[Symbol.dispose]();
    signal.removeEventListener('abort', finish);
    resolve();
  };
  const timer = timers.after(ms, finish);
  signal.addEventListener('abort', finish);
  return promise;
}
