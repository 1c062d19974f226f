import { pause } from '@nodewright/async';
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
import { watchEvents } from './watch-events.ts';

export interface KeepInit {
  readonly engine: Engine;
  readonly folder: string;
  readonly log: Logger;
  readonly now: () => number;
  /** What happens to the containers from a moment on; ends when the engine goes away. */
  readonly watch?: (sinceMs: number, signal: AbortSignal) => AsyncIterable<ContainerEvent>;
  /** Between attempts to reach an engine that has gone away. */
  readonly reconnectMs?: number;
  readonly signal: AbortSignal;
}

const defaultReconnectMs = 1_000;
/** The one container that is meant to end. */
const onceService = 'init';

/** Starts containers of a cluster again that should run. */
export class ContainerKeeper {
  readonly #init: KeepInit;
  #kept: Kept = new Map();
  /** Starts by this keeper, by service. */
  readonly #starts = new Map<string, number>();
  #wake = Promise.withResolvers<void>();

  constructor(init: KeepInit) {
    this.#init = init;
  }

  get starts(): ReadonlyMap<string, number> {
    return this.#starts;
  }

  /** Learns what runs. Throws when the engine does not answer; yields how many containers there are. */
  async look(): Promise<number> {
    const { engine, folder, now } = this.#init;
    const containers = await listContainers(engine, folder);
    for (const { id, service, ...container } of containers)
      this.#tell({ kind: 'seen', id, service, state: stateOf(container), atMs: now() });
    return containers.length;
  }

  /** Resolves when no container is left, or the signal is aborted. Outlives the engine. */
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
    let isAway = false;
    while (!signal.aborted) {
      try {
        // An engine that comes back answers late, and tells of containers that it stopped itself before: the first
        // answer says that it is there, and only what happens from then on counts.
        await listContainers(engine, folder);
        const sinceMs = now();
        if ((await this.look()) === 0) return log.info('no container is left');
        isAway = false;
        for await (const event of watch(sinceMs, signal)) {
          this.#tell(event);
          if (event.kind === 'removed' && (await listContainers(engine, folder)).length === 0)
            return log.info('no container is left');
        }
        if (signal.aborted) return;
        this.#kept = afterEngineLoss(this.#kept, now());
        log.warn('events of the engine have ended');
      } catch (error) {
        if (!isAway && !signal.aborted) log.warn({ err: error }, 'engine does not answer');
        isAway = true;
      }
      await pause(reconnectMs, signal);
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
      return this.#tell({ kind: isGone ? 'removed' : 'start-failed', id, service, atMs });
    }
    const [isRunning, isRestarting, exitCode] = stdout.trim().split(' ');
    // The engine is quicker with one that crashed; one that it is about to start is looked at again later.
    if (isRestarting === 'true') return this.#tell({ kind: 'start-failed', id, service, atMs });
    if (isRunning === 'true') return this.#tell({ kind: 'seen', state: 'running', id, service, atMs });
    const started = await engine.ask(['start', id]);
    if (started.code === 0) {
      log.warn({ service, exit_code: Number(exitCode) }, 'container was ended: started again');
      this.#starts.set(service, (this.#starts.get(service) ?? 0) + 1);
      return this.#tell({ kind: 'started', id, service, atMs: now() });
    }
    const reason = started.stderr.trim().split('\n')[0] ?? '';
    log.warn({ service, reason }, 'container cannot be started');
    this.#tell({ kind: 'start-failed', id, service, atMs: now() });
  }

  #tell(event: ContainerEvent): void {
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
