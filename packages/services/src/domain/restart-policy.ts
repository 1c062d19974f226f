/** When a runner that ended runs again. Source: Talos v1.14: restart wrapper. */
export type RestartPolicy = 'forever' | 'untilSuccess' | 'once';

/** A run that is shorter than this many pauses counts as a crash at the start. */
const shortRunPauses = 2;
/** Up to this many crashes in a row the pause stays the same, as in upstream. */
const patientCrashes = 5;
/** The longest pause of a crash loop, as a multiple of the usual pause. */
const longestPauses = 12;
/** Minimum pause, so that a crash loop does not use a whole processor. */
const leastPauseMs = 100;

/** How many runs in a row, including this one, ended soon after their start. */
export function crashesAfter(crashes: number, ranMs: number, intervalMs: number): number {
  return ranMs < Math.max(intervalMs, leastPauseMs) * shortRunPauses ? crashes + 1 : 0;
}

/**
 * The pause before the next run, in ms. It is the usual one, as always in upstream, for the first crashes.
 * Then it doubles with each crash, up to twelve times the usual one.
 */
export function pauseBeforeRun(crashes: number, intervalMs: number): number {
  const pauseMs = Math.max(intervalMs, leastPauseMs);
  return pauseMs * Math.min(2 ** Math.max(crashes - patientCrashes, 0), longestPauses);
}

/** The reason for another run, for the history; undefined when the service ends with the run. */
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
