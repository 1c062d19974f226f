/** After a node has run for this long, its next death counts as the first one again. */
const steadyAfterMs = 30_000;
const firstDelayMs = 1_000;
const longestDelayMs = 30_000;

export interface RestartHistory {
  /** The number of deaths in a row within `steadyAfterMs` of the start. */
  readonly quickDeaths: number;
}

export interface RestartPlan {
  readonly delayMs: number;
  readonly history: RestartHistory;
}

/**
 * Plans the restart of a node's machined: 1 s after its death. The delay doubles up to 30 s while machined
 * dies soon after each start.
 */
export function planRestart(history: RestartHistory, ranForMs: number): RestartPlan {
  const quickDeaths = ranForMs >= steadyAfterMs ? 1 : history.quickDeaths + 1;
  const delayMs = Math.min(firstDelayMs * 2 ** Math.min(quickDeaths - 1, 10), longestDelayMs);
  return { delayMs, history: { quickDeaths } };
}

/** A node that reboots this soon after its start is assumed to be in a reboot loop. */
const uselessMs = 2_000;

/**
 * Plans the start after a reboot: at once, but with the delays of planRestart() for a node in a reboot loop.
 */
export function planReboot(history: RestartHistory, ranForMs: number): RestartPlan {
  if (ranForMs >= uselessMs) return { delayMs: 0, history: { quickDeaths: 0 } };
  const quickDeaths = history.quickDeaths + 1;
  const delayMs = quickDeaths === 1 ? 0 : planRestart({ quickDeaths: quickDeaths - 2 }, ranForMs).delayMs;
  return { delayMs, history: { quickDeaths } };
}
