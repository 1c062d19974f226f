import { setImmediate as turn } from 'node:timers/promises';
import { systemTimers, type Timers } from '@nodewright/async';
import { Fault } from '@nodewright/fault';
import type { State } from '@nodewright/state';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import { Activity } from './activity.ts';
import type { Controller } from './controller.ts';
import { ControllerLoop } from './controller-loop.ts';
import { checkDeclarations } from './declarations.ts';
import { type DependencyEdge, dependencyGraph } from './dependency-graph.ts';
import { KindWatches } from './kind-watches.ts';
import { outsideOfSpans } from './outside-of-spans.ts';
import { type EventLoop, systemEventLoop, TurnShare } from './turn-share.ts';

export interface ControllerRuntimeInit {
  readonly state: State;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  /** Default: the timers of the host. */
  readonly timers?: Timers;
  /** Default: the event loop of the host. */
  readonly eventLoop?: EventLoop;
  /** Returns numbers from 0 to below 1. */
  readonly random?: () => number;
  /** How long passes and sources may take to end; default 10 s. */
  readonly shutdownTimeoutMs?: number;
}

/**
 * Runs controllers over a state: changes of its inputs wake a controller, and a failing controller does not
 * affect the others. Source: Talos v1.14: COSI controller runtime.
 */
export class ControllerRuntime implements AsyncDisposable {
  readonly #init: Required<ControllerRuntimeInit>;
  readonly #stop = new AbortController();
  readonly #activity = new Activity();
  readonly #watches: KindWatches;
  readonly #turns: TurnShare;
  readonly #loops = new Map<string, ControllerLoop>();
  /** By the name of the controller. */
  readonly #running = new Map<string, Promise<void>>();
  #isStarted = false;
  #closed: Promise<void> | undefined;

  constructor(init: ControllerRuntimeInit) {
    const { timers = systemTimers, eventLoop = systemEventLoop, random = Math.random } = init;
    this.#init = { shutdownTimeoutMs: 10_000, ...init, timers, eventLoop, random };
    this.#turns = new TurnShare(eventLoop);
    this.#watches = new KindWatches(this.#init);
  }

  /**
   * Registers a controller. It runs from the start of the runtime on, or at once if the runtime has started.
   *
   * @throws Fault `invalid-argument` when its declarations contradict each other or those of another
   * controller
   */
  register(controller: Controller): void {
    if (this.#stop.signal.aborted) throw new Fault('failed-precondition', 'the controller runtime has ended');
    checkDeclarations(
      controller,
      [...this.#loops.values()].map((loop) => loop.controller),
    );
    const { signal } = this.#stop;
    const loop = new ControllerLoop({
      ...this.#init,
      controller,
      watches: this.#watches,
      turns: this.#turns,
      activity: this.#activity,
      signal,
    });
    this.#loops.set(controller.name, loop);
    if (this.#isStarted) this.#run(loop);
  }

  /** Starts all controllers. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    for (const loop of this.#loops.values()) this.#run(loop);
  }

  /**
   * Resolves when no controller is in a pass or due for one, so that all earlier writes have taken effect.
   * Controllers that back off or wait for a time count as idle. Meant for a state in memory, whose watches
   * deliver within one turn of the event loop.
   */
  async settled(): Promise<void> {
    for (;;) {
      // Read before the wait, so that work that begins between two steps is not missed.
      const { begun } = this.#activity;
      await this.#activity.whenIdle();
      await turn();
      if (this.#activity.begun === begun) return;
    }
  }

  /** Which controllers read and write which resources, at this moment. */
  graph(): readonly DependencyEdge[] {
    return dependencyGraph(
      [...this.#loops.values()].map(({ controller: { name, outputs }, inputs }) => ({
        name,
        outputs,
        inputs,
      })),
    );
  }

  /** Aborts all passes and waits for them, for the sources of the controllers, and for the watches. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  #run(loop: ControllerLoop): void {
    const { name } = loop.controller;
    // The first pass belongs to the span that starts the runtime.
    const cause = this.#init.telemetry.activeSpan()?.traceparent;
    const ended = outsideOfSpans(() => loop.run(cause)).finally(() => this.#running.delete(name));
    this.#running.set(name, ended);
  }

  async #close(): Promise<void> {
    const { timers, shutdownTimeoutMs, log } = this.#init;
    this.#stop.abort();
    const ended = Promise.all([...this.#running.values(), this.#watches.stop()]);
    const { promise: isLate, resolve } = Promise.withResolvers<'late'>();
    using _ = timers.after(shutdownTimeoutMs, () => resolve('late'));
    if ((await Promise.race([ended, isLate])) !== 'late') return;
    log.error(
      { controllers: [...this.#running.keys()], shutdownTimeoutMs },
      'controllers did not end in time',
    );
  }
}
