import { pauseBy, type Timers } from '@nodewright/async';
import type { Condition } from '@nodewright/services';

/** Met with `condition`, but at the latest `limitMs` after the first wait has begun. */
export function metWithin(condition: Condition, limitMs: number, timers: Timers): Condition {
  let isOver = false;
  return {
    get text() {
      return condition.text;
    },
    isMet: () => isOver || condition.isMet(),
    async wait(signal) {
      const ended = new AbortController();
      const waiting = AbortSignal.any([signal, ended.signal]);
      try {
        await Promise.race([condition.wait(waiting), pauseBy(timers, limitMs, waiting)]);
        isOver = !signal.aborted;
      } finally {
        ended.abort();
      }
    },
  };
}
