import { pause } from '@nodewright/async';
import type { Clock } from '../domain/clock.ts';

/** The clock of this machine. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  sleep: pause,
};
