import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after `ms`, or earlier when `signal` aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
