import { Fault, faultFrom } from '@nodewright/fault';
import type { runProgram } from '@nodewright/linux';
import type { HealthResult } from '../../base/domain/service-health.ts';
import {
  commandTimeoutMs,
  pingCommand,
  reloadCommand,
  settleCommand,
  triggerCommands,
  udevEnvironment,
} from '../domain/udev-programs.ts';

export interface UdevControlInit {
  /** Runs `udevadm`. */
  readonly run: typeof runProgram;
  /** How long the devices count as incomplete after the first success. */
  readonly settleTimeMs: number;
  /** The current time of a clock that only runs forward, in ms. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** Tells a running udevd what to do. */
export interface UdevControl {
  /**
   * Waits for udevd, lets it process all devices the first time, and reports whether it has processed everything. It never
   * rejects.
   */
  check(timeoutMs: number): Promise<HealthResult>;
  /** Applies changed rules to all devices. @throws Fault */
  applyRules(signal: AbortSignal): Promise<void>;
}

/** udevd needs a moment after its start, and `check` runs once a minute only. */
const retryMs = 250;

export function createUdevControl({ run, settleTimeMs, now, sleep }: UdevControlInit): UdevControl {
  let isTriggered = false;
  let settledAtMs: number | undefined;

  const command = (argv: readonly string[], timeoutMs: number, signal?: AbortSignal) =>
    run({ argv, environment: { ...udevEnvironment }, timeoutMs, ...(signal && { signal }) });

  const triggerAll = async (timeoutMs: () => number, signal?: AbortSignal) => {
    for (const argv of triggerCommands) await command(argv, timeoutMs(), signal);
  };

  async function untilUp(leftMs: () => number): Promise<void> {
    for (;;) {
      try {
        await command(pingCommand, leftMs());
        return;
      } catch (error) {
        if (leftMs() <= retryMs) throw error;
        await sleep(retryMs);
      }
    }
  }

  return {
    async check(timeoutMs) {
      const endMs = now() + timeoutMs;
      // A program gets whole milliseconds.
      const leftMs = () => Math.max(Math.floor(endMs - now()), 1);
      try {
        await untilUp(leftMs);
        if (!isTriggered) await triggerAll(leftMs);
        isTriggered = true;
        await command(settleCommand, leftMs());
      } catch (error) {
        return { healthy: false, message: faultFrom(error).message };
      }
      settledAtMs ??= now();
      const waitMs = settledAtMs + settleTimeMs - now();
      if (waitMs <= 0) return { healthy: true };
      if (waitMs < leftMs()) {
        await sleep(waitMs);
        return { healthy: true };
      }
      return { healthy: false, message: `devices may still appear for ${Math.ceil(waitMs / 1000)}s` };
    },
    async applyRules(signal) {
      await command(reloadCommand, commandTimeoutMs, signal);
      await triggerAll(() => commandTimeoutMs, signal);
      await command(settleCommand, commandTimeoutMs, signal);
      if (signal.aborted) throw new Fault('cancelled', 'the rules of udevd were not applied');
    },
  };
}
