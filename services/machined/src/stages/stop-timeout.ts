import { dependentsBudgetMs } from '@nodewright/services';
import { containersLimitMs, daemonGraceMs, preemptionTimeoutMs } from '../base/domain/stop-budgets.ts';
import type { World } from '../base/domain/world.ts';

/** Longer than the grace time of apid and trustd plus the time that running calls have after it. */
const guestTimeoutMs = 25_000;

/** What a machine waits for when it stops, one after the other, in ms. */
const machineBudgetsMs = {
  runningSequence: preemptionTimeoutMs,
  /** Virtual addresses are handed over. */
  addresses: 10_000,
  services: dependentsBudgetMs,
  /** Containers that are left then, and the last service: a daemon that is given up after twice its grace time. */
  containers: containersLimitMs,
  lastService: 2 * daemonGraceMs,
  /** The API, the controllers and the logs. */
  rest: 20_000,
} as const;

/**
 * How long machined may take to stop after a signal, in ms: on a machine, longer than all of its parts, because nobody else would
 * stop them; elsewhere, shorter than its supervisor or its container engine waits before it kills.
 */
export const stopTimeoutMs = ({ ownsKernel }: Pick<World, 'ownsKernel'>): number =>
  ownsKernel ? Object.values(machineBudgetsMs).reduce((sum, budget) => sum + budget, 0) : guestTimeoutMs;
