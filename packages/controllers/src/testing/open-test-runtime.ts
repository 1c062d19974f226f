import { MemoryState, type State } from '@nodewright/state';
import { createLogger, noTelemetry, type Telemetry } from '@nodewright/telemetry';
import type { Controller } from '../controller.ts';
import { ControllerRuntime } from '../controller-runtime.ts';
import type { EventLoop } from '../turn-share.ts';
import { FakeTimers } from './fake-timers.ts';

export interface TestRuntimeInit {
  readonly controllers?: readonly Controller[];
  /** Default: an empty store. */
  readonly state?: State;
  readonly telemetry?: Telemetry;
  /** Default: an event loop whose turns never end. */
  readonly eventLoop?: EventLoop;
  /** Unix ms at the beginning. */
  readonly nowMs?: number;
}

/** One line of the log. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly level: string; readonly msg: string };

/** Controllers over a store, with a time that the test advances. */
export interface TestRuntime extends AsyncDisposable {
  readonly state: State;
  readonly runtime: ControllerRuntime;
  readonly timers: FakeTimers;
  /** The log lines so far. */
  readonly logged: readonly LogLine[];
  /**
   * Resolves when no controller runs or is due. Controllers that wait for a time, or back off, count as idle.
   */
  settled(): Promise<void>;
  /**
   * Advances the time: timers fire in order, and everything that one causes completes before the next one
   * fires.
   */
  advance(ms: number): Promise<void>;
}

/** Its turns never end, so that no pass waits for the next turn. */
const oneTurn: EventLoop = { now: () => 0, nextTurn: () => {} };

/** Starts the controllers. Pauses after failures have no jitter: 500 ms, 750 ms, 1125 ms, ... */
export function openTestRuntime({
  controllers = [],
  telemetry = noTelemetry,
  eventLoop = oneTurn,
  nowMs,
  ...init
}: TestRuntimeInit = {}): TestRuntime {
  const timers = new FakeTimers(nowMs);
  const state =
    init.state ??
    new MemoryState({
      now: () => timers.now(),
      cookie: new Uint8Array(8),
      traceparent: () => telemetry.activeSpan()?.traceparent,
    });
  const logged: LogLine[] = [];
  const destination = { write: (line: string) => void logged.push(JSON.parse(line)) };
  const log = createLogger({ name: 'test', telemetry, destination });
  const runtime = new ControllerRuntime({ state, log, telemetry, timers, eventLoop, random: () => 0.5 });
  for (const controller of controllers) runtime.register(controller);
  runtime.start();
  return {
    state,
    runtime,
    timers,
    logged,
    settled: () => runtime.settled(),
    async advance(ms) {
      await runtime.settled();
      const untilMs = timers.monotonicMs() + ms;
      // A controller may set the clock meanwhile, which makes the wait neither longer nor shorter.
      while (timers.step(timers.now() + untilMs - timers.monotonicMs())) await runtime.settled();
    },
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  };
}
