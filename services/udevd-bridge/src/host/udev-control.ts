import { Fault, faultFrom } from '@nodewright/fault';
import type { runProgram } from '@nodewright/linux';
import {
  checkTimeoutMs,
  settleMs,
  triggerCommands,
  udevCommands,
  udevEnvironment,
} from '../domain/udev-programs.ts';

export interface UdevControlInit {
  /** The program `udevadm`. */
  readonly program: string;
  readonly run: typeof runProgram;
  /** How long the devices count as incomplete after the first success. */
  readonly settleTimeMs: number;
  /** The current time of a clock that only runs forward, in ms. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

export interface TriggerInit {
  readonly action: string;
  /** Below `/sys`; none means every device. */
  readonly paths: readonly string[];
  readonly reloadsRules: boolean;
}

/** Tells a running udevd what to do. */
export interface UdevControl {
  /**
   * Waits for udevd, lets it process all devices the first time, and reports whether it has processed everything. It never
   * rejects.
   *
   * @returns why it has not; undefined when it has
   */
  check(timeoutMs?: number): Promise<string | undefined>;
  /** The next check lets udevd process all devices again: it has missed events. */
  forget(): void;
  /** @throws Fault */
  trigger(init: TriggerInit, signal: AbortSignal): Promise<void>;
  /** @returns whether udevd was done in time; @throws Fault */
  settle(timeoutMs: number, signal: AbortSignal): Promise<boolean>;
  /** Ends a udevd that runs already. @throws Fault */
  endOther(): Promise<void>;
}

/** udevd needs a moment after its start. */
const retryMs = 250;
const endTimeoutMs = 10_000;
const pingTimeoutMs = 5000;
const startedAgain = 'udevd was started again during the check';

export function createUdevControl({ program, run, settleTimeMs, now, sleep }: UdevControlInit): UdevControl {
  // udevd may be started again while a command of the last check is still running.
  let generation = 1;
  /** The udevd to which all devices were announced. */
  let triggered = 0;
  let settledAtMs: number | undefined;

  const command = (words: readonly string[], timeoutMs: number, signal?: AbortSignal) =>
    run({
      argv: [program, ...words],
      environment: { ...udevEnvironment },
      timeoutMs,
      ...(signal && { signal }),
    });

  const triggerAll = async (timeoutMs: () => number) => {
    for (const words of triggerCommands('add', [])) await command(words, timeoutMs());
  };

  async function untilUp(leftMs: () => number): Promise<void> {
    for (;;) {
      try {
        await command(udevCommands.ping, leftMs());
        return;
      } catch (error) {
        if (leftMs() <= retryMs) throw error;
        await sleep(retryMs);
      }
    }
  }

  const isUp = () =>
    command(udevCommands.ping, pingTimeoutMs).then(
      () => true,
      () => false,
    );

  return {
    async check(timeoutMs = checkTimeoutMs) {
      const checked = generation;
      const endMs = now() + timeoutMs;
      // A program gets whole milliseconds.
      const leftMs = () => Math.max(Math.floor(endMs - now()), 1);
      try {
        await untilUp(leftMs);
        if (triggered !== checked) await triggerAll(leftMs);
        triggered = checked;
        await command(udevCommands.settle(settleMs), leftMs());
      } catch (error) {
        return faultFrom(error).message;
      }
      if (generation !== checked) return startedAgain;
      settledAtMs ??= now();
      const waitMs = settledAtMs + settleTimeMs - now();
      if (waitMs <= 0) return undefined;
      if (waitMs < leftMs()) {
        await sleep(waitMs);
        return generation === checked ? undefined : startedAgain;
      }
      return `devices may still appear for ${Math.ceil(waitMs / 1000)}s`;
    },
    forget() {
      generation += 1;
    },
    async trigger({ action, paths, reloadsRules }, signal) {
      if (reloadsRules) await command(udevCommands.reload, checkTimeoutMs, signal);
      for (const words of triggerCommands(action, paths)) await command(words, checkTimeoutMs, signal);
    },
    async settle(timeoutMs, signal) {
      const endMs = now() + timeoutMs;
      try {
        // The program counts whole seconds.
        await command(udevCommands.settle(timeoutMs), timeoutMs, signal);
        return true;
      } catch (error) {
        const { kind, message } = faultFrom(error);
        if (signal.aborted) throw new Fault('cancelled', 'the caller cancelled the call');
        // It reports its own timeout as a failure.
        if (kind === 'deadline-exceeded' || (kind === 'internal' && now() + 1000 >= endMs)) return false;
        throw new Fault(kind, message, { cause: error });
      }
    },
    async endOther() {
      if (!(await isUp())) return;
      await command(udevCommands.exit, endTimeoutMs);
      for (const endMs = now() + endTimeoutMs; await isUp(); await sleep(retryMs)) {
        if (now() > endMs) throw new Fault('failed-precondition', 'another udevd runs, and does not end');
      }
    },
  };
}
