import { faultFrom } from '@nodewright/fault';
import { type Condition, waitingText } from '../domain/condition.ts';
import type { Runner } from '../domain/runner.ts';
import { capitalised } from '../domain/runner-text.ts';
import type { HealthResult } from '../domain/service-health.ts';
import {
  isDown,
  newServiceRecord,
  recordEvent,
  recordHealth,
  type ServiceRecord,
} from '../domain/service-record.ts';
import type { ServiceEvent } from '../domain/service-state.ts';
import { pause } from '../host/pause.ts';

/** How often and how a service is asked whether it is well, in ms. */
export interface HealthCheck {
  readonly check: (timeoutMs: number) => Promise<HealthResult>;
  readonly initialDelayMs: number;
  readonly periodMs: number;
  readonly timeoutMs: number;
}

/** Source: Talos v1.14: health checks, defaults. */
export const defaultHealthTimes = { initialDelayMs: 1000, periodMs: 5000, timeoutMs: 500 } as const;

export interface ServiceInit {
  readonly id: string;
  readonly conditions?: readonly Condition[];
  readonly runner: Runner;
  readonly health?: HealthCheck;
  readonly now: () => number;
  /** Told of every new entry of the history, after it was recorded. */
  readonly onEntry: (record: ServiceRecord) => void;
}

const waitingTextIntervalMs = 1000;

/** Executes the state machine of one service: waits, runs, checks, stops, and keeps the record of it. */
export class Service {
  readonly #init: ServiceInit;
  #record: ServiceRecord;
  #stop: AbortController | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(init: ServiceInit) {
    this.#init = init;
    this.#record = newServiceRecord(init.id, init.health !== undefined);
  }

  get record(): ServiceRecord {
    return this.#record;
  }

  /** Starts it in the background. Does nothing while it is on. */
  start(): void {
    if (this.#stop !== undefined && !isDown(this.#record)) return;
    this.#stop = new AbortController();
    this.#event('start', 'Starting service');
    this.#ended = this.#run(this.#stop.signal);
  }

  /** Stops it and resolves when it has ended. */
  async stop(): Promise<void> {
    this.#stop?.abort();
    await this.#ended;
  }

  async #run(signal: AbortSignal): Promise<void> {
    try {
      await this.#waitForConditions(signal);
      if (!signal.aborted) await this.#runRunner(signal);
      this.#event('finish', 'Service finished successfully');
    } catch (error) {
      this.#event('fail', capitalised(`failed running service: ${faultFrom(error).message}`));
    }
  }

  async #waitForConditions(signal: AbortSignal): Promise<void> {
    const { conditions = [] } = this.#init;
    const allMet = Promise.all(conditions.map(({ met }) => met));
    let shown: string | undefined;
    for (;;) {
      const text = waitingText(conditions);
      if (text === undefined || signal.aborted) return;
      if (text !== shown) this.#event('wait', text);
      shown = text;
      await Promise.race([allMet, pause(waitingTextIntervalMs, signal)]);
    }
  }

  async #runRunner(signal: AbortSignal): Promise<void> {
    this.#event('prepare', 'Running pre state');
    this.#event('prepare', 'Creating service runner');
    let checks: AbortController | undefined;
    try {
      await this.#init.runner.run((event, message) => {
        this.#event(event, message);
        checks?.abort();
        if (event !== 'run') return;
        checks = new AbortController();
        this.#checkHealth(checks.signal);
      }, signal);
    } finally {
      checks?.abort();
    }
  }

  /** Checks until `signal` aborts. A check never throws, so nobody has to wait for this. */
  async #checkHealth(signal: AbortSignal): Promise<void> {
    const { health } = this.#init;
    if (health === undefined) return;
    await pause(health.initialDelayMs, signal);
    while (!signal.aborted) {
      const result = await health.check(health.timeoutMs);
      if (signal.aborted) return;
      this.#take(recordHealth(this.#record, result, this.#init.now()));
      await pause(health.periodMs, signal);
    }
  }

  #event(event: ServiceEvent, message: string): void {
    this.#take(recordEvent(this.#record, event, message, this.#init.now()));
  }

  #take(record: ServiceRecord): void {
    const isNewEntry = record.history.at(-1) !== this.#record.history.at(-1);
    this.#record = record;
    if (isNewEntry) this.#init.onEntry(record);
  }
}
