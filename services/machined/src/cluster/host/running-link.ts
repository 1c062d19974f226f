import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '@nodewright/telemetry';
import type { LinkPlan } from '../domain/plan-link.ts';

/** Follows a plan until `signal` aborts; it does not throw. */
export type FollowPlan = (plan: LinkPlan, log: Logger, signal: AbortSignal) => Promise<void>;

/** The link of this node: another plan ends it and begins a new one. */
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

  /** Does nothing when it goes by that plan already. */
  adopt(plan: LinkPlan): void {
    if (isDeepStrictEqual(plan, this.#plan)) return;
    this.#plan = plan;
    this.#stop.abort();
    const stop = new AbortController();
    this.#stop = stop;
    // Two links of one node would write its record twice.
    this.#ended = this.#ended.then(() =>
      stop.signal.aborted ? undefined : this.#follow(plan, this.#log, stop.signal),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }
}
