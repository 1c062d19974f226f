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
  /** Default: one without an end to its turns. */
  readonly eventLoop?: EventLoop;
  /** Unix ms at the beginning. */
  readonly nowMs?: number;
}

/** One line of the log. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly level: string; readonly msg: string };

/** Controllers at work over a store, in a time that the test moves. */
export interface TestRuntime extends AsyncDisposable {
  readonly state: State;
  readonly runtime: ControllerRuntime;
  readonly timers: FakeTimers;
  /** What was logged so far. */
  readonly logged: readonly LogLine[];
  /** Resolves when no controller runs or is due. Those that wait for their time, or pause after a failure, rest. */
  settled(): Promise<void>;
  /** Lets so much time go by: every timer fires in its turn, and what it causes settles before the next one. */
  advance(ms: number): Promise<void>;
}

/** Its turns never end, so that no pass waits for the next one. */
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
      const untilMs = timers.now() + ms;
      while (timers.step(untilMs)) await runtime.settled();
    },
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  };
}
