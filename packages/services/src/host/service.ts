import { aborted, pauseBy, type Timers, untilAborted } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import { type Condition, waitingText } from '../domain/condition.ts';
import type { Runner } from '../domain/runner.ts';
import { capitalised } from '../domain/runner-text.ts';
import type { ServiceNeeds } from '../domain/service-graph.ts';
import type { HealthResult } from '../domain/service-health.ts';
import type { ServiceLife } from '../domain/service-life.ts';
import {
  hasFailed,
  isDown,
  newServiceRecord,
  recordEvent,
  recordHealth,
  recordStop,
  type ServiceRecord,
} from '../domain/service-record.ts';
import type { ServiceEvent } from '../domain/service-state.ts';
import { measureEventLoopDelay } from './event-loop-delay.ts';

/** The schedule of health checks, in ms. */
export interface HealthCheck {
  readonly check: (timeoutMs: number) => Promise<HealthResult>;
  readonly initialDelayMs: number;
  readonly periodMs: number;
  readonly timeoutMs: number;
}

/** Source: Talos v1.14: health checks, defaults. */
export const defaultHealthTimes = { initialDelayMs: 1000, periodMs: 5000, timeoutMs: 500 } as const;

/** The declaration of a service. */
export interface ServiceDefinition extends ServiceNeeds {
  /** Conditions in addition to the services that it depends on. */
  readonly conditions?: readonly Condition[];
  /** Runs before its runner starts. `report` adds what it waits for to the history. */
  readonly prepare?: (signal: AbortSignal, report: (message: string) => void) => Promise<void>;
  readonly runner: Runner;
  /**
   * Runs when the node ends, after the services that depend on this one are down and before it is stopped. It never rejects.
   */
  readonly beforeNodeEnds?: () => Promise<void>;
  readonly health?: HealthCheck;
  /**
   * How long the runner may take to end after it was stopped; after that the service has failed. It must be
   * longer than the time after which the runner itself kills its process. Default 20 s.
   */
  readonly stopTimeoutMs?: number;
}

export interface ServiceInit extends ServiceDefinition {
  readonly timers: Timers;
  /** Called with every new entry of the history, after it was recorded. */
  readonly onEntry: (record: ServiceRecord) => void;
}

const finishedMessage = 'Service finished successfully';
const finishedAfterFailureMessage = 'Service stopped after it had failed';
/** A service that hangs must not look healthy for as long as this process is busy. */
const mostDiscardedChecks = 2;
const waitingTextIntervalMs = 1000;
/** Twice the grace time of a runner. Source: Talos v1.14: goroutine runner. */
const defaultStopTimeoutMs = 20_000;

/** The state machine of one service: waits, runs, checks, stops, and keeps its record. */
export class Service {
  readonly #init: ServiceInit;
  #record: ServiceRecord;
  #stop: AbortController | undefined;
  #hasRun = false;
  #ended: Promise<void> = Promise.resolve();
  /** The end of the last runner. It is later than that of the service if the runner did not end in time. */
  #runnerEnded: Promise<unknown> = Promise.resolve();

  constructor(init: ServiceInit) {
    this.#init = init;
    this.#record = newServiceRecord(init.id, init.health !== undefined);
  }

  get record(): ServiceRecord {
    return this.#record;
  }

  get life(): ServiceLife {
    if (this.#stop === undefined || isDown(this.#record)) return 'off';
    return this.#stop.signal.aborted ? 'ending' : 'on';
  }

  /** Whether it has ended by a failure of its own, and not while it was being stopped. */
  get hasFailed(): boolean {
    return hasFailed(this.#record);
  }

  /** Whether it has failed before its runner began: while it waited for its conditions, or prepared. */
  get hasFailedToStart(): boolean {
    return this.hasFailed && !this.#hasRun;
  }

  /** What it has to do before the node ends; nothing while it is off. */
  async prepareEnd(): Promise<void> {
    if (this.life !== 'off') await this.#init.beforeNodeEnds?.();
  }

  /** Starts it in the background. Does nothing while it runs or is ending. */
  start(): void {
    if (this.life !== 'off') return;
    this.#stop = new AbortController();
    this.#hasRun = false;
    this.#event('start', 'Starting service');
    this.#ended = this.#run(this.#stop.signal);
  }

  /**
   * Stops it and resolves when it has ended. One that had failed is finished then: it is no longer wanted, so its failure is
   * no problem.
   *
   * @param message the entry in the history for this end
   */
  async stop(message?: string): Promise<void> {
    if (this.#stop === undefined) return;
    const { hasFailed } = this;
    this.#stop.abort(new Fault('cancelled', message ?? finishedMessage));
    this.#record = recordStop(this.#record);
    if (hasFailed) this.#event('finish', message ?? finishedAfterFailureMessage);
    await this.#ended;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const ahead = this.#startAhead(AbortSignal.any([signal, ended.signal]));
    try {
      await step('condition failed', () => this.#waitForConditions(signal));
      if (!signal.aborted) await this.#prepare(signal);
      if (!signal.aborted) await step('failed running service', () => this.#runRunner(signal));
      if (signal.aborted) await ahead;
      this.#event('finish', signal.aborted ? faultFrom(signal.reason).message : finishedMessage);
    } catch (error) {
      ended.abort();
      await ahead;
      this.#event('fail', capitalised(faultFrom(error).message));
    }
  }

  /** Only what has to wait gains by it. */
  async #startAhead(signal: AbortSignal): Promise<void> {
    const { conditions = [], runner } = this.#init;
    if (runner.startAhead === undefined || conditions.every((condition) => condition.isMet())) return;
    await this.#runnerEnded;
    if (!signal.aborted) await runner.startAhead(signal);
  }

  /** Each condition is awaited until it has been met once. */
  async #waitForConditions(signal: AbortSignal): Promise<void> {
    const open = new Set((this.#init.conditions ?? []).filter((condition) => !condition.isMet()));
    if (open.size === 0) return;
    const ended = new AbortController();
    const waiting = AbortSignal.any([signal, ended.signal]);
    const allMet = Promise.all(
      [...open].map(async (condition) => {
        await condition.wait(waiting);
        open.delete(condition);
      }),
    );
    // The end of the wait ends the pause of its loop, too: a race would leave a reaction here every second, for weeks.
    const end = () => ended.abort();
    allMet.then(end, end);
    try {
      let shown: string | undefined;
      while (!waiting.aborted) {
        const text = waitingText([...open]);
        if (text !== undefined && text !== shown) {
          this.#event('wait', text);
          shown = text;
        }
        await pauseBy(this.#init.timers, waitingTextIntervalMs, waiting);
      }
      if (!signal.aborted) await allMet;
    } finally {
      ended.abort();
    }
  }

  async #prepare(signal: AbortSignal): Promise<void> {
    // Two runners of one service must never run at the same time.
    await untilAborted(this.#runnerEnded, signal);
    if (signal.aborted) return;
    const { prepare } = this.#init;
    this.#event('prepare', 'Running pre state');
    if (prepare !== undefined) {
      const report = (message: string) => signal.aborted || this.#event('prepare', message);
      await step('failed to run pre stage', () => prepare(signal, report));
    }
    if (!signal.aborted) this.#event('prepare', 'Creating service runner');
  }

  async #runRunner(signal: AbortSignal): Promise<void> {
    let checks: AbortController | undefined;
    let isOver = false;
    this.#hasRun = true;
    const running = this.#init.runner.run((event, message) => {
      if (isOver) return;
      this.#event(event, message);
      checks?.abort();
      if (event !== 'run') return;
      checks = new AbortController();
      this.#checkHealth(checks.signal);
    }, signal);
    this.#runnerEnded = running.catch(() => {});
    const finished = new AbortController();
    try {
      await Promise.race([running, this.#giveUp(signal, finished.signal)]);
    } finally {
      isOver = true;
      finished.abort();
      checks?.abort();
    }
  }

  /** @throws Fault `deadline-exceeded` when the runner has not ended in time after it was stopped. */
  async #giveUp(stop: AbortSignal, finished: AbortSignal): Promise<void> {
    await aborted(AbortSignal.any([stop, finished]));
    if (finished.aborted) return;
    await pauseBy(this.#init.timers, this.#init.stopTimeoutMs ?? defaultStopTimeoutMs, finished);
    if (finished.aborted) return;
    this.#event('signal', "Service hasn't stopped gracefully on timeout, aborting");
    throw new Fault('deadline-exceeded', 'service aborted');
  }

  /**
   * Runs health checks until `signal` aborts. A doubtful result is discarded, but not more than two in a row. A check never
   * throws, so the result need not be awaited.
   */
  async #checkHealth(signal: AbortSignal): Promise<void> {
    const { health, timers } = this.#init;
    if (health === undefined) return;
    await pauseBy(timers, health.initialDelayMs, signal);
    let discarded = 0;
    while (!signal.aborted) {
      const { result, isDoubtful } = await this.#checkOnce(health);
      if (signal.aborted) return;
      discarded = isDoubtful && discarded < mostDiscardedChecks ? discarded + 1 : 0;
      if (discarded === 0) this.#take(recordHealth(this.#record, result, timers.now()));
      await pauseBy(timers, health.periodMs, signal);
    }
  }

  /**
   * Doubtful when it may say nothing about the service: it timed out while this process had no time to read the answer
   * for more than half of the limit.
   */
  async #checkOnce({
    check,
    timeoutMs,
  }: HealthCheck): Promise<{ result: HealthResult; isDoubtful: boolean }> {
    const { timers } = this.#init;
    const startMs = timers.monotonicMs();
    using eventLoop = measureEventLoopDelay(timers);
    const result = await check(timeoutMs);
    // A timer of Node.js may fire in the last millisecond before its time.
    const hasTimedOut = !result.healthy && timers.monotonicMs() - startMs >= timeoutMs - 1;
    return { result, isDoubtful: hasTimedOut && eventLoop.delayMs() > timeoutMs / 2 };
  }

  #event(event: ServiceEvent, message: string): void {
    this.#take(recordEvent(this.#record, event, message, this.#init.timers.now()));
  }

  #take(record: ServiceRecord): void {
    const isNewEntry = record.history.at(-1) !== this.#record.history.at(-1);
    this.#record = record;
    if (isNewEntry) this.#init.onEntry(record);
  }
}

/** Adds the step at which the service failed. */
async function step(failure: string, body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } catch (error) {
    const { kind, message } = faultFrom(error);
    throw new Fault(kind, `${failure}: ${message}`, { cause: error });
  }
}
