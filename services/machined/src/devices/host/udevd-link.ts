import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeviceServiceDefinition,
  type UdevdStatus,
} from '@nodewright/contract/gen/suite/devices/v1/devices.ts';
import { Fault, faultFrom } from '@nodewright/fault';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import type { HealthResult } from '@nodewright/services';
import { noTelemetry, type Telemetry } from '@nodewright/telemetry';

/** The udevd that udevd-bridge runs. */
export interface UdevdLink extends Disposable {
  /** Whether udevd runs. It never rejects. */
  isRunning(timeoutMs: number): Promise<HealthResult>;
  /** Waits until udevd has processed all devices. It never rejects. */
  isSettled(timeoutMs: number): Promise<HealthResult>;
  /** Applies changed rules to all devices. @throws Fault */
  applyRules(signal: AbortSignal): Promise<void>;
}

const retryMs = 250;
/** Source: Talos v1.14: files.UdevRulesController. */
const settleTimeoutMs = 50_000;

/** @param socket of udevd-bridge */
export function openUdevdLink(socket: string, telemetry: Telemetry): UdevdLink {
  const channel = openUnixChannel(socket, { maxReconnectPauseMs: 1000 });
  const client = createRpcClient(DeviceServiceDefinition, channel, { telemetry });
  // It is called every few seconds.
  const quiet = createRpcClient(DeviceServiceDefinition, channel, { telemetry: noTelemetry });

  async function look(
    timeoutMs: number,
    problemOf: (udevd: UdevdStatus) => string | undefined,
  ): Promise<{ readonly isAnswered: boolean; readonly result: HealthResult }> {
    try {
      const { udevd, reason } = await quiet.status(
        {},
        // A signal takes whole milliseconds only.
        { signal: AbortSignal.timeout(Math.max(Math.floor(timeoutMs), 1)) },
      );
      const problem = udevd === undefined ? reason : problemOf(udevd);
      const result: HealthResult =
        problem === undefined ? { healthy: true } : { healthy: false, message: problem };
      return { isAnswered: true, result };
    } catch (error) {
      return { isAnswered: false, result: { healthy: false, message: faultFrom(error).message } };
    }
  }

  return {
    isRunning: async (timeoutMs) =>
      (await look(timeoutMs, (udevd) => (udevd.isRunning ? undefined : udevd.problem))).result,
    async isSettled(timeoutMs) {
      const endMs = performance.now() + timeoutMs;
      let known: HealthResult | undefined;
      for (;;) {
        const { isAnswered, result } = await look(endMs - performance.now(), (udevd) =>
          udevd.isSettled ? undefined : udevd.problem,
        );
        // The last look may have had no time for an answer.
        if (isAnswered) known = result;
        if (result.healthy || endMs - performance.now() <= retryMs) return known ?? result;
        await sleep(retryMs, undefined, { ref: false });
      }
    },
    async applyRules(signal) {
      await client.trigger({ action: 'add', paths: [], reloadsRules: true }, { signal });
      const { isSettled } = await client.settle({ timeoutMs: settleTimeoutMs }, { signal });
      if (!isSettled)
        throw new Fault('deadline-exceeded', 'udevd did not apply the rules to all devices in time');
    },
    [Symbol.dispose]: () => channel[Symbol.dispose](),
  };
}
