import { setTimeout as sleep } from 'node:timers/promises';
import type { Timers } from './timers.ts';

/** Resolves after `ms`, or as soon as `signal` aborts. It keeps the process alive, and leaves nothing behind. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(0, ms), undefined, { signal }).catch(() => {});
}

/** As `pause()`, by timers that are given. Those of the host do not keep the process alive. */
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
