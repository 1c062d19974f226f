import { pauseBy, type Timers } from '@nodewright/async';
import type { Condition } from '../domain/condition.ts';

const pollIntervalMs = 1000;

/**
 * Met as soon as there is a file of any kind at `path`; checked once a second. Source: Talos v1.14: waiting
 * messages.
 */
export function createFileCondition(
  path: string,
  exists: (path: string) => Promise<boolean>,
  timers: Timers,
): Condition {
  let isThere = false;
  return {
    text: `file "${path}" to exist`,
    isMet: () => isThere,
    async wait(signal) {
      while (!signal.aborted) {
        isThere = await exists(path);
        if (isThere) return;
        await pauseBy(timers, pollIntervalMs, signal);
      }
    },
  };
}
