/** How long a node must have run for its next death to count as the first again. */
const steadyAfterMs = 30_000;
const firstDelayMs = 1_000;
const longestDelayMs = 30_000;

export interface RestartHistory {
  /** Deaths in a row, each within `steadyAfterMs` of its start. */
  readonly quickDeaths: number;
}

export interface RestartPlan {
  readonly delayMs: number;
  readonly history: RestartHistory;
}

/** When to start a node's machined again: 1 s after its death, doubling up to 30 s while it keeps dying young. */
export function planRestart(history: RestartHistory, ranForMs: number): RestartPlan {
  const quickDeaths = ranForMs >= steadyAfterMs ? 1 : history.quickDeaths + 1;
  const delayMs = Math.min(firstDelayMs * 2 ** Math.min(quickDeaths - 1, 10), longestDelayMs);
  return { delayMs, history: { quickDeaths } };
}

/** No machine has been of use for so short a time: one that reboots again and again then does so by itself. */
const uselessMs = 2_000;

/** A machine that reboots comes back at once, but one that does nothing else is paused for as one that dies. */
export function planReboot(history: RestartHistory, ranForMs: number): RestartPlan {
  if (ranForMs >= uselessMs) return { delayMs: 0, history: { quickDeaths: 0 } };
  const quickDeaths = history.quickDeaths + 1;
  const delayMs = quickDeaths === 1 ? 0 : planRestart({ quickDeaths: quickDeaths - 2 }, ranForMs).delayMs;
  return { delayMs, history: { quickDeaths } };
}
