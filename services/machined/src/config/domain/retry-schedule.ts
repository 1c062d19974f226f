const firstDelayMs = 500;
const delayFactor = 1.5;
const longestDelayMs = 60_000;

/** How long to wait after the `failures`-th failure in a row, in ms. Source: Talos v1.14: controller back-off. */
export function backoffMs(failures: number): number {
  return Math.min(longestDelayMs, firstDelayMs * delayFactor ** Math.min(failures - 1, 20));
}
