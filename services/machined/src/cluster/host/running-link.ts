import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '@nodewright/telemetry';
import type { LinkPlan } from '../domain/plan-link.ts';

/** Connects this node as planned until `signal` aborts; never rejects. */
export type FollowPlan = (plan: LinkPlan, log: Logger, signal: AbortSignal) => Promise<void>;

/** The current link of this node. A new plan ends the link and starts another. */
export class RunningLink implements AsyncDisposable {
  readonly #follow: FollowPlan;
  readonly #log: Logger;
  #plan: LinkPlan = { kind: 'none' };
  #stop = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  constructor(follow: FollowPlan, log: Logger) {
    this.#follow = follow;
    this.#log = log;
  }

  /** Starts a link for `plan`, unless the current link has the same plan. */
  adopt(plan: LinkPlan): void {
    if (isDeepStrictEqual(plan, this.#plan)) return;
    this.#plan = plan;
    this.#stop.abort();
    const stop = new AbortController();
    this.#stop = stop;
    // The old link ends first: two links of one node would write its record twice.
    this.#ended = this.#ended.then(() =>
      stop.signal.aborted ? undefined : this.#follow(plan, this.#log, stop.signal),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }
}
