/** The times of leases and retries with which a node keeps its record. */
export interface LinkTiming {
  /** How long a record lives after the last heartbeat of its node, in seconds. */
  readonly leaseSeconds: number;
  /** The pause after the first failure, in ms. Each further pause is twice as long, up to a third of a lease. */
  readonly firstRetryMs: number;
}

/** A choice of this project: a stopped node is removed from the members within 15 s. */
export const linkTiming: LinkTiming = { leaseSeconds: 15, firstRetryMs: 500 };

/** The time between heartbeats, in ms: two may fail before the record expires. */
export const heartbeatMs = ({ leaseSeconds }: LinkTiming): number => (leaseSeconds * 1000) / 3;

/** How long a report may wait for a change, in ms. The next report must follow within a third of a lease. */
export const longestAnswerMs = (timing: LinkTiming): number => Math.floor(heartbeatMs(timing) * 0.9);

/**
 * The pauses between retries, each shortened at random by up to a half, so that nodes that lost etcd together
 * do not retry together.
 */
export class RetryPauses {
  readonly #timing: LinkTiming;
  readonly #random: () => number;
  #nextMs: number;

  /** @param random returns a number from 0 to below 1 */
  constructor(timing: LinkTiming, random: () => number) {
    this.#timing = timing;
    this.#random = random;
    this.#nextMs = timing.firstRetryMs;
  }

  /** Returns the next pause in ms. */
  next(): number {
    const pauseMs = this.#nextMs * (1 - this.#random() / 2);
    this.#nextMs = Math.min(this.#nextMs * 2, heartbeatMs(this.#timing));
    return pauseMs;
  }

  reset(): void {
    this.#nextMs = this.#timing.firstRetryMs;
  }
}
