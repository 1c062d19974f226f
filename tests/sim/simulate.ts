import { setImmediate as turn } from 'node:timers/promises';
import { pauseBy } from '@nodewright/async';
import { ControllerRuntime } from '@nodewright/controllers';
import { FakeTimers } from '@nodewright/controllers/testing';
import { MemoryState } from '@nodewright/state';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { SeededRandom } from '../fuzz/seeded-random.ts';
import { Chaos } from './chaos.ts';
import { actualEnd, differenceOf, expectedEnd } from './end-state.ts';
import { observeController } from './observe-controller.ts';
import { randomGraph } from './random-graph.ts';
import { ScheduledState } from './scheduled-state.ts';
import { Scheduler } from './scheduler.ts';
import { randomScripts, runUser, stepText } from './users.ts';
import { World } from './world.ts';

export interface SimulationInit {
  /** Determines the graph and the users' steps, and with `schedule` everything else. */
  readonly seed: number;
  /** Selects one of the possible orders of operations. */
  readonly schedule: number;
  readonly losesEvents?: 'aloud' | 'silently';
  /** Called with a description of every step. */
  readonly onStep?: (text: string) => void;
}

/** Limits of a simulation that does not settle. */
const stepLimit = 50_000;
const longestRun = 1e9;

const log = createLogger({ name: 'sim', telemetry: noTelemetry, level: 'silent' });

/**
 * Runs a random graph of controllers over a slow store, with users, failures, lost events and restarts, until
 * it settles. Returns what is wrong at the end, or `undefined`.
 */
export async function simulate(init: SimulationInit): Promise<string | undefined> {
  return new Simulation(init).run();
}

class Simulation {
  readonly #init: SimulationInit;
  readonly #random: SeededRandom;
  readonly #graph;
  readonly #scripts;
  readonly #timers = new FakeTimers(0);
  readonly #world = new World();
  readonly #store = new MemoryState({ now: () => this.#timers.now(), cookie: new Uint8Array(8) });
  readonly #scheduler: Scheduler;
  readonly #chaos: Chaos;
  readonly #losses: Chaos;
  readonly #breaches: string[] = [];
  readonly #watches: ScheduledState[] = [];
  readonly #end = new AbortController();
  #runtime: ControllerRuntime;
  #closing: Promise<void> | undefined;
  #usersAtWork = 0;
  #restartsLeft: number;
  #steps = 0;

  constructor(init: SimulationInit) {
    const { seed, schedule, onStep = () => {} } = init;
    this.#init = init;
    const random = new SeededRandom(seed);
    this.#graph = randomGraph(random);
    this.#scripts = randomScripts(random, this.#graph.bases);
    this.#random = new SeededRandom(Math.imul(seed, 2654435761) + schedule);
    this.#restartsLeft = this.#random.below(3) === 0 ? 1 : 0;
    this.#scheduler = new Scheduler(this.#random, onStep);
    this.#losses = new Chaos(this.#random, this.#random.below(2) === 0 ? 0 : Number.POSITIVE_INFINITY);
    this.#chaos = new Chaos(this.#random, this.#random.below(12));
    for (const { text } of this.#graph.stations) onStep(`station ${text}`);
    for (const steps of this.#scripts.ofUser) onStep(`user: ${steps.map(stepText).join(', ')}`);
    this.#runtime = this.#open();
  }

  async run(): Promise<string | undefined> {
    for (const steps of this.#scripts.ofUser) void this.#work(steps);
    const problem = (await this.#untilRest()) ?? (await this.#judge());
    this.#restartsLeft = 0;
    if (problem === undefined) void this.#close();
    const late = problem ?? (await this.#untilRest());
    this.#end.abort();
    return late ?? this.#leftovers();
  }

  #open(): ControllerRuntime {
    const { losesEvents } = this.#init;
    const [scheduler, chaos, world] = [this.#scheduler, this.#chaos, this.#world];
    const state = new ScheduledState({
      store: this.#store,
      scheduler,
      chaos,
      losses: this.#losses,
      losesEvents,
    });
    this.#watches.push(state);
    const runtime = new ControllerRuntime({
      state,
      log,
      telemetry: noTelemetry,
      timers: this.#timers,
      // Everything that can happen in different orders waits for the scheduler.
      eventLoop: { now: () => 0, nextTurn: () => {} },
      random: () => this.#random.below(1000) / 1000,
      shutdownTimeoutMs: longestRun,
    });
    const bench = { world, chaos, work: (what: string) => scheduler.turn(what) };
    const controllers = this.#graph.stations.flatMap((station) => station.controllers(bench));
    for (const controller of controllers) {
      runtime.register(
        observeController(controller, {
          chaos,
          now: () => this.#timers.now(),
          onPass: (text) => this.#init.onStep?.(text),
          onBreach: (text) => void this.#breaches.push(text),
        }),
      );
    }
    runtime.start();
    return runtime;
  }

  /** Stops the runtime. */
  #close(): Promise<void> {
    this.#closing = this.#runtime[Symbol.asyncDispose]().finally(() => {
      this.#closing = undefined;
    });
    return this.#closing;
  }

  async #restart(): Promise<void> {
    this.#init.onStep?.('restart');
    await this.#close();
    this.#runtime = this.#open();
  }

  async #work(steps: Parameters<typeof runUser>[0]): Promise<void> {
    this.#usersAtWork += 1;
    const state = new ScheduledState({ store: this.#store, scheduler: this.#scheduler });
    const wait = (ms: number) => pauseBy(this.#timers, ms, this.#end.signal);
    try {
      await runUser(steps, { state, world: this.#world, wait });
      this.#usersAtWork -= 1;
    } catch (error) {
      this.#breaches.push(`a user failed: ${(error as Error).message}`);
    }
  }

  /** Runs until no operation is left. Returns what is wrong, or `undefined`. */
  async #untilRest(): Promise<string | undefined> {
    for (; this.#steps < stepLimit; this.#steps += 1) {
      await turn();
      if (this.#breaches.length > 0) return this.#breaches[0];
      const { nextMs } = this.#timers;
      const mayPass = this.#closing === undefined && nextMs !== undefined;
      if (this.#scheduler.isIdle) {
        if (!mayPass) return undefined;
        this.#timers.step(nextMs);
      } else if (mayPass && this.#random.below(40) === 0) this.#timers.step(nextMs);
      else this.#scheduler.step();
      if (this.#restartsLeft > 0 && this.#steps > 20 && this.#random.below(60) === 0) {
        this.#restartsLeft -= 1;
        void this.#restart();
      }
    }
    return `no rest after ${stepLimit} steps`;
  }

  /** What is wrong with the present state. */
  async #judge(): Promise<string | undefined> {
    if (this.#usersAtWork > 0) return 'a user waits for ever';
    const actual = await actualEnd(this.#graph, this.#store, this.#world);
    const difference = differenceOf(expectedEnd(this.#graph, this.#scripts), actual);
    if (difference !== undefined) return difference;
    const isSettled = await Promise.race([
      this.#runtime.settled().then(() => true),
      turn()
        .then(turn)
        .then(() => false),
    ]);
    return isSettled ? undefined : 'the runtime does not know that it is at rest';
  }

  /** What the runtime has failed to close. */
  #leftovers(): string | undefined {
    if (this.#closing !== undefined) return 'the runtime does not end';
    const open = this.#watches.reduce((sum, { openWatches }) => sum + openWatches, 0);
    if (open > 0) return `${open} watches are still open after the end`;
    if (this.#world.listeners > 0) return `${this.#world.listeners} sources are still open after the end`;
    if (this.#timers.nextMs !== undefined) return 'a timer is left after the end';
    return undefined;
  }
}
