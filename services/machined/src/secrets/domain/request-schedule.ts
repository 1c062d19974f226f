/** Pauses before each attempt of a worker to get its certificate, in seconds. Source: Talos v1.14: worker flow. */
const pausesSeconds = [0, 1, 3, 7, 15, 31];

/** Time limit of all attempts together. */
export const requestTotalTimeoutMs = 60_000;
/** Time limit of one attempt. */
export const requestAttemptTimeoutMs = 10_000;

const jitterMs = 100;

/**
 * The pause before each attempt, in ms, with up to 100 ms of jitter so that nodes do not retry at the same
 * moment.
 */
export function requestPausesMs(random: () => number): number[] {
  return pausesSeconds.map((seconds) =>
    seconds === 0 ? 0 : seconds * 1000 + Math.floor(random() * jitterMs),
  );
}
