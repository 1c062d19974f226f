/** One request that was sent to every API server at the same moment. */
export interface RequestSample {
  /** When it was sent, in milliseconds from the first one. */
  readonly sentMs: number;
  /** How long each server took to answer, in milliseconds; `undefined` when it did not answer with success. */
  readonly answersMs: readonly (number | undefined)[];
}

/** Whether the API could be called at each moment. */
export interface Availability {
  readonly requests: number;
  /** The time from the first request to the last one. */
  readonly seconds: number;
  /** Requests that no server answered, by when they were sent, in seconds. At most twenty. */
  readonly unansweredAt: readonly number[];
  readonly unanswered: number;
  /** The number of requests that each server answered, in the order of the nodes. */
  readonly answeredBy: readonly number[];
  /** The longest time for which no request was sent. */
  readonly longestGapMs: number;
  /** The longest time until the first server answered a request. */
  readonly slowestMs: number;
}

/** Requests of each second. */
export const requestsPerSecond = 10;
/** Where no request was sent for longer, nothing is known of that time. */
export const longestKnownGapMs = 1_000;
const maxListed = 20;

/** @param servers the number of API servers that each request was sent to */
export function availabilityOf(samples: readonly RequestSample[], servers: number): Availability {
  const sorted = samples.toSorted((one, other) => one.sentMs - other.sentMs);
  const fastest = sorted.map(({ sentMs, answersMs }) => ({
    sentMs,
    ms: answersMs.reduce<number | undefined>(
      (least, ms) => (ms === undefined || (least !== undefined && least < ms) ? least : ms),
      undefined,
    ),
  }));
  const unanswered = fastest.filter(({ ms }) => ms === undefined);
  return {
    requests: sorted.length,
    seconds: ((sorted.at(-1)?.sentMs ?? 0) - (sorted[0]?.sentMs ?? 0)) / 1000,
    unansweredAt: unanswered.slice(0, maxListed).map(({ sentMs }) => sentMs / 1000),
    unanswered: unanswered.length,
    answeredBy: Array.from(
      { length: servers },
      (_, server) => sorted.filter(({ answersMs }) => answersMs[server] !== undefined).length,
    ),
    longestGapMs: sorted.reduce(
      (longest, { sentMs }, at) => Math.max(longest, sentMs - (sorted[at - 1]?.sentMs ?? sentMs)),
      0,
    ),
    slowestMs: fastest.reduce((slowest, { ms = 0 }) => Math.max(slowest, ms), 0),
  };
}

/** Whether at least one server answered at each moment. Without requests, or with a gap between them, that is not known. */
export function wasAvailable({ requests, unanswered, longestGapMs }: Availability): boolean {
  return requests > 0 && unanswered === 0 && longestGapMs <= longestKnownGapMs;
}
