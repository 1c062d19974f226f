/** How a node holds on to its place in the cluster. */
export interface LinkTiming {
  /** How long a record lives after its node was heard last, in seconds. */
  readonly leaseSeconds: number;
  /** The pause after a first failure, in ms; each further one is twice as long, up to a third of a lease. */
  readonly firstRetryMs: number;
}

/** A decision of the house: a node that is gone is no member any more within 15 s. */
export const linkTiming: LinkTiming = { leaseSeconds: 15, firstRetryMs: 500 };

/** How often a node is heard, in ms: two times may fail before its record ends. */
export const heartbeatMs = ({ leaseSeconds }: LinkTiming): number => (leaseSeconds * 1000) / 3;

/** How long a report may wait for news, in ms: the next one is to come within a third of a lease. */
export const longestAnswerMs = (timing: LinkTiming): number => heartbeatMs(timing) * 0.9;

/** Pauses between attempts, each up to a half shorter by chance, so that nodes that lost etcd together do not come back in step. */
export class RetryPauses {
  readonly #timing: LinkTiming;
  readonly #random: () => number;
  #nextMs: number;

  /** @param random from 0 to below 1 */
  constructor(timing: LinkTiming, random: () => number) {
    this.#timing = timing;
    this.#random = random;
    this.#nextMs = timing.firstRetryMs;
  }

  /** In ms. */
  next(): number {
    const pauseMs = this.#nextMs * (1 - this.#random() / 2);
    this.#nextMs = Math.min(this.#nextMs * 2, heartbeatMs(this.#timing));
    return pauseMs;
  }

  reset(): void {
    this.#nextMs = this.#timing.firstRetryMs;
  }
}
