/** When a runner that ended runs again. Source: Talos v1.14: restart wrapper. */
export type RestartPolicy = 'forever' | 'untilSuccess' | 'once';

/** How long a runner may have run and still be one that crashes as soon as it starts, in pauses. */
const shortRunPauses = 2;
/** So many crashes in a row, each soon after the start, are upstream's case: the pause stays as it is. */
const patientCrashes = 5;
/** The longest pause of a crash loop, in usual pauses. */
const longestPauses = 12;
/** However short the usual pause is: what cannot start must not take a processor. */
const leastPauseMs = 100;

/** How many runs in a row, this one included, ended soon after they began. */
export function crashesAfter(crashes: number, ranMs: number, intervalMs: number): number {
  return ranMs < Math.max(intervalMs, leastPauseMs) * shortRunPauses ? crashes + 1 : 0;
}

/**
 * The pause before the next run, in ms. It is the usual one, as upstream's always is, until it is clear that starting
 * again does not help; then it doubles with each crash, up to twelve times the usual one.
 */
export function pauseBeforeRun(crashes: number, intervalMs: number): number {
  const pauseMs = Math.max(intervalMs, leastPauseMs);
  return pauseMs * Math.min(2 ** Math.max(crashes - patientCrashes, 0), longestPauses);
}

/** The reason that the history gives for another run; undefined when the end of the run is the end of the service. */
export function restartReason(
  policy: RestartPolicy,
  runner: string,
  error: string | undefined,
): string | undefined {
  switch (policy) {
    case 'once':
      return undefined;
    case 'untilSuccess':
      return error === undefined
        ? undefined
        : `Error running ${runner}, going to restart until it succeeds: ${error}`;
    case 'forever':
      return error === undefined
        ? `Runner ${runner} exited without error, going to restart it`
        : `Error running ${runner}, going to restart forever: ${error}`;
  }
}
