import { pause } from '@nodewright/async';
import { faultFrom } from '@nodewright/fault';
import { plainError } from '../../render/plain-error.ts';
import { forgottenMs, gatherMs, pauseAfter, restAfterChange } from '../domain/check-timing.ts';
import type { CheckState, HealthResult } from '../protocol/messages.ts';
import type { CheckOutcome, ClusterChecks } from './cluster-checks.ts';

export interface HealthWatchInit {
  /** Opens the checks when somebody begins to look. They are closed when nobody looks any more. */
  readonly open: () => ClusterChecks;
  readonly nowMs: () => number;
  /** The number of the last change of a node. */
  readonly nodesNumber: () => number;
  readonly onHealth: (result: HealthResult) => void;
  /** Somebody looks again after a long time: no result of before counts any more. */
  readonly onForgotten: () => void;
}

/** Runs the checks of `talosctl health` again and again while somebody looks: at intervals, and after each change. */
export class HealthWatch {
  readonly #init: HealthWatchInit;
  #stop: AbortController | undefined;
  #checks: readonly CheckState[] = [];
  #startedMs = 0;
  #resultMs = 0;
  /** When the last run ended whose result was shown. */
  #shownMs: number | undefined;
  /** Ends the run, or the pause. */
  #attempt = new AbortController();
  /** Ends the run after a while, because the cluster has changed since it began. */
  #ending: NodeJS.Timeout | undefined;

  constructor(init: HealthWatchInit) {
    this.#init = init;
  }

  start(): void {
    if (this.#stop !== undefined) return;
    if (this.#shownMs !== undefined && this.#init.nowMs() - this.#shownMs >= forgottenMs) {
      this.#checks = [];
      this.#shownMs = undefined;
      this.#init.onForgotten();
    }
    this.#stop = new AbortController();
    void this.#run(this.#stop.signal);
  }

  stop(): void {
    this.#stop?.abort();
    this.#stop = undefined;
    clearTimeout(this.#ending);
    this.#attempt.abort();
  }

  /** Starts the checks again, because the cluster has changed. */
  changed(): void {
    if (this.#stop === undefined || this.#ending !== undefined) return;
    const run = { startedMs: this.#startedMs, resultMs: this.#resultMs };
    const restMs = restAfterChange(run, this.#init.nowMs());
    if (restMs === undefined) return;
    const attempt = this.#attempt;
    this.#ending = setTimeout(() => attempt.abort(), restMs);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { open, nowMs, nodesNumber, onHealth } = this.#init;
    using checks = open();
    this.#resultMs = nowMs();
    while (!signal.aborted) {
      this.#startedMs = nowMs();
      const attempt = this.#begin();
      const ofNodes = nodesNumber();
      let problem: string | undefined;
      try {
        const outcomes = await checks.run(attempt);
        if (signal.aborted) return;
        if (!attempt.aborted) this.#checks = outcomes.map((outcome) => this.#stateOf(outcome));
      } catch (error) {
        problem = plainError(faultFrom(error).message);
      }
      if (signal.aborted) return;
      if (!attempt.aborted) {
        this.#resultMs = nowMs();
        this.#shownMs = this.#resultMs;
        onHealth({ checks: this.#checks, problem, ofNodes, atMs: this.#resultMs });
      }
      // From here on, a change ends the pause at once.
      this.#startedMs = 0;
      await pause(gatherMs, signal);
      if (signal.aborted) return;
      if (attempt.aborted || ofNodes !== nodesNumber()) continue;
      await pause(pauseAfter(this.#checks, problem), this.#begin());
    }
  }

  #begin(): AbortSignal {
    clearTimeout(this.#ending);
    this.#ending = undefined;
    this.#attempt = new AbortController();
    if (this.#stop?.signal.aborted !== false) this.#attempt.abort();
    return this.#attempt.signal;
  }

  #stateOf({ name, state, reason }: CheckOutcome): CheckState {
    const before = this.#checks.find((check) => check.name === name);
    const sinceMs = before?.state === state ? before.sinceMs : this.#init.nowMs();
    return { name, state, reason, sinceMs };
  }
}
