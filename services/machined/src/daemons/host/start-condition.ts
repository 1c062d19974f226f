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

/** Met with `condition`, or when `other` is not met `limitMs` after the first wait has begun: then something else matters more. */
export function metUnless(
  condition: Condition,
  other: Condition,
  { limitMs, timers }: { readonly limitMs: number; readonly timers: Timers },
): Condition {
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
        const met = condition.wait(waiting);
        await Promise.race([met, pauseBy(timers, limitMs, waiting)]);
        isOver = !signal.aborted && !other.isMet();
        if (!isOver) await met;
      } finally {
        ended.abort();
      }
    },
  };
}
