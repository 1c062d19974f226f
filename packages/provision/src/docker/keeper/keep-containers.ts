import { constants } from 'node:os';
import { exponentialDelayMs, pause } from '@nodewright/async';
import type { Logger } from '@nodewright/telemetry';
import {
  afterEngineLoss,
  afterEvent,
  type ContainerEvent,
  dueContainers,
  type Kept,
  nextDueMs,
} from '../../domain/plan-healing.ts';
import type { Engine } from '../../engine/index.ts';
import { listContainers, type StackContainer } from '../stack-objects.ts';
import type { NodeSystems } from '../systems/node-systems.ts';
import { watchEvents } from './watch-events.ts';

export interface KeepInit {
  readonly engine: Engine;
  readonly folder: string;
  /** What starts nodes that are one container each. */
  readonly systems?: Pick<NodeSystems, 'knows' | 'bring' | 'containerOf'> | undefined;
  readonly log: Logger;
  readonly now: () => number;
  /** Yields the events of the containers since `sinceMs`; ends when the connection to the engine is lost. */
  readonly watch?: (sinceMs: number, signal: AbortSignal) => AsyncIterable<ContainerEvent>;
  /** The delay before the first attempt to reach the engine after the connection was lost; it doubles with each further one. */
  readonly reconnectMs?: number;
  readonly signal: AbortSignal;
}

const defaultReconnectMs = 1_000;
/** Each attempt reads the state of all containers, so that one that ended is started within this time. */
const longestReconnectMs = 30_000;
/** A stream of events that lasted this long worked: its end is a new failure. */
const steadyMs = 60_000;
const reconnectDelay = { factor: 2, longestMs: longestReconnectMs };
/** The only service whose container is meant to exit. */
const onceService = 'init';
/** Of containers that were stopped, and of those that have not run yet. */
const stopCodes: readonly number[] = [0, 128 + constants.signals.SIGKILL, 128 + constants.signals.SIGTERM];

/** Restarts containers of a cluster that are meant to run but have ended. */
export class ContainerKeeper {
  readonly #init: KeepInit;
  #kept: Kept = new Map();
  /** How often this keeper has started a container, by service. */
  readonly #starts = new Map<string, number>();
  #wake = Promise.withResolvers<void>();
  /** The nodes whose systems are being put in order. */
  readonly #bringing = new Set<string>();

  constructor(init: KeepInit) {
    this.#init = init;
  }

  get starts(): ReadonlyMap<string, number> {
    return this.#starts;
  }

  /**
   * Reads the state of all containers and resolves to their number. Throws when the engine does not answer.
   */
  async look(): Promise<number> {
    const { engine, folder, now } = this.#init;
    const containers = await listContainers(engine, folder);
    for (const { id, service, ...container } of containers)
      this.#apply({ kind: 'seen', id, service, state: this.#stateOf(service, container), atMs: now() });
    return containers.length;
  }

  /** Runs until no container is left or the signal is aborted. Reconnects when the engine is restarted. */
  async run(): Promise<void> {
    const { signal } = this.#init;
    const ended = new AbortController();
    const both = AbortSignal.any([signal, ended.signal]);
    const healing = this.#heal(both);
    try {
      await this.#follow(both);
    } finally {
      ended.abort();
      this.#wake.resolve();
      await healing;
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { engine, folder, log, now, reconnectMs = defaultReconnectMs } = this.#init;
    const watch =
      this.#init.watch ?? ((since: number, stop: AbortSignal) => watchEvents(engine, folder, since, stop));
    // Consecutive ones; only the first is logged.
    let failures = 0;
    while (!signal.aborted) {
      // Monotonic: a step of the clock is no time in which the events worked.
      let watchedSinceMs = Number.POSITIVE_INFINITY;
      const warn = (message: string, error?: unknown) => {
        if (performance.now() - watchedSinceMs >= steadyMs) failures = 0;
        if (failures === 0) log.warn(error === undefined ? {} : { err: error }, message);
        failures += 1;
      };
      try {
        // Wait until the engine answers. A restarted engine reports that it stopped containers earlier, when
        // it shut down: ignore the events before its first answer.
        await listContainers(engine, folder);
        const sinceMs = now();
        if ((await this.look()) === 0) return log.info('no container is left');
        watchedSinceMs = performance.now();
        for await (const event of watch(sinceMs, signal)) {
          this.#apply(event);
          if (event.kind === 'removed' && (await listContainers(engine, folder)).length === 0)
            return log.info('no container is left');
        }
        if (signal.aborted) return;
        this.#kept = afterEngineLoss(this.#kept, now());
        warn('lost the event stream of the engine');
      } catch (error) {
        if (!signal.aborted) warn('engine does not answer', error);
      }
      await pause(exponentialDelayMs({ ...reconnectDelay, firstMs: reconnectMs }, failures), signal);
    }
  }

  async #heal(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const dueMs = nextDueMs(this.#kept);
      const waitMs = dueMs === undefined ? undefined : Math.max(0, dueMs - this.#init.now());
      await this.#sleepUntilWoken(waitMs, signal);
      for (const { id, service } of dueContainers(this.#kept, this.#init.now())) {
        if (signal.aborted) return;
        await this.#startAgain(id, service);
      }
    }
  }

  async #startAgain(id: string, service: string): Promise<void> {
    const { engine, log, now } = this.#init;
    // It is looked at again when that may be over: it may have been started, and have ended since.
    if (this.#bringing.has(service)) return this.#apply({ kind: 'start-failed', id, service, atMs: now() });
    const { code, stdout, stderr } = await engine.ask([
      ...[
        'container',
        'inspect',
        '--format',
        '{{.State.Running}} {{.State.Restarting}} {{.State.ExitCode}}',
        id,
      ],
    ]);
    const atMs = now();
    if (code !== 0) {
      const isGone = /no such container/i.test(stderr);
      return this.#apply({ kind: isGone ? 'removed' : 'start-failed', id, service, atMs });
    }
    const [isRunning, isRestarting, exitCode] = stdout.trim().split(' ');
    // The engine restarts a crashed container itself. If it is about to do so, check the container again
    // later.
    if (isRestarting === 'true') return this.#apply({ kind: 'start-failed', id, service, atMs });
    if (isRunning === 'true') return this.#apply({ kind: 'seen', state: 'running', id, service, atMs });
    if (this.#init.systems?.knows(service)) return void this.#bring(service, Number(exitCode));
    const started = await engine.ask(['start', id]);
    if (started.code === 0) {
      log.warn({ service, exit_code: Number(exitCode) }, 'restarted a container that had ended');
      this.#starts.set(service, (this.#starts.get(service) ?? 0) + 1);
      return this.#apply({ kind: 'started', id, service, atMs: now() });
    }
    const reason = started.stderr.trim().split('\n')[0] ?? '';
    log.warn({ service, reason }, 'container cannot be started');
    this.#apply({ kind: 'start-failed', id, service, atMs: now() });
  }

  /**
   * Starts a node with the system that it has chosen. That may take minutes, in which other containers are started, too, and it may replace the
   * container. It never rejects.
   */
  async #bring(service: string, exitCode: number): Promise<void> {
    const { systems, log, now } = this.#init;
    if (systems === undefined) return;
    this.#bringing.add(service);
    const isOf = ([, container]: readonly [string, { readonly service: string }]) =>
      container.service === service;
    try {
      // Not due while it is being started.
      for (const [id] of [...this.#kept].filter(isOf))
        this.#apply({ kind: 'seen', state: 'running', id, service, atMs: now() });
      const settled = await systems.bring(service);
      if (settled === 'started') {
        log.warn({ service, exit_code: exitCode }, 'restarted a container that had ended');
        this.#starts.set(service, (this.#starts.get(service) ?? 0) + 1);
        return;
      }
      if (settled === 'lost') return;
      await this.#startLater(service);
    } catch (error) {
      log.warn({ service, err: error }, 'a node cannot be started');
      await this.#startLater(service).catch(() => {});
    } finally {
      this.#bringing.delete(service);
    }
  }

  /** A node may have ended before its keeper was there, which alone starts it again. */
  #stateOf(service: string, container: Pick<StackContainer, 'isRunning' | 'isRestarting' | 'exitCode'>) {
    const state = stateOf(container);
    const hasFailed = state === 'exited' && !stopCodes.includes(container.exitCode);
    return hasFailed && this.#init.systems?.knows(service) ? 'failed' : state;
  }

  async #startLater(service: string): Promise<void> {
    const known = [...this.#kept].find(([, container]) => container.service === service)?.[0];
    const id = (await this.#init.systems?.containerOf(service).catch(() => undefined)) ?? known;
    if (id !== undefined) this.#apply({ kind: 'start-failed', id, service, atMs: this.#init.now() });
  }

  #apply(event: ContainerEvent): void {
    if (event.service === onceService) return;
    this.#kept = afterEvent(this.#kept, event);
    this.#wake.resolve();
  }

  async #sleepUntilWoken(waitMs: number | undefined, signal: AbortSignal): Promise<void> {
    const timer = new AbortController();
    const timers = AbortSignal.any([signal, timer.signal]);
    const waits = waitMs === undefined ? [] : [pause(waitMs, timers)];
    await Promise.race([this.#wake.promise, ...waits]);
    timer.abort();
    this.#wake = Promise.withResolvers();
  }
}

function stateOf({
  isRunning,
  isRestarting,
}: Pick<StackContainer, 'isRunning' | 'isRestarting'>): 'running' | 'restarting' | 'exited' {
  if (isRestarting) return 'restarting';
  return isRunning ? 'running' : 'exited';
}
