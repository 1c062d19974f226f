import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  DeviceServiceDefinition,
  type DeviceServiceImplementation,
  Mode,
  UdevdStatus,
} from '@nodewright/contract/gen/suite/devices/v1/devices.ts';
import { createRpcServer } from '@nodewright/rpc';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { openUdevdLink } from './udevd-link.ts';

const folder = mkdtempSync(join(tmpdir(), 'udevd-link-'));
after(() => rmSync(folder, { recursive: true }));
const log = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });
const unsettled = 'udevd has not processed all devices yet';

/** A udevd-bridge whose udevd is settled from the given call of Status on. */
async function startBridge(socket: string, settledFrom: number, scope: AsyncDisposableStack): Promise<void> {
  let calls = 0;
  const status: DeviceServiceImplementation['status'] = async () => {
    calls += 1;
    const isSettled = calls >= settledFrom;
    const problem = isSettled ? '' : unsettled;
    return {
      ...{ mode: Mode.MODE_UDEVD, reason: 'a test', receivesEvents: true, eventsProblem: '' },
      ...{ position: undefined, kernelDrops: 0n, subscribers: 0 },
      udevd: UdevdStatus.create({ isRunning: true, isSettled, problem }),
    };
  };
  const unused = () => Promise.reject(new Error('not used'));
  const streams = async function* () {};
  const implementation: DeviceServiceImplementation = {
    ...{ status, firmware: unused, trigger: unused, settle: unused, loadModule: unused },
    ...{ inventory: streams, events: streams },
  };
  const services = [{ definition: DeviceServiceDefinition, implementation }];
  const server = scope.use(createRpcServer({ services, telemetry: noTelemetry, log, drainTimeoutMs: 10 }));
  await server.listenUnix(socket);
}

test('isSettled() waits until udevd has processed all devices', async () => {
  await using scope = new AsyncDisposableStack();
  const socket = join(folder, 'later.sock');
  await startBridge(socket, 3, scope);
  const link = scope.use(openUdevdLink(socket, noTelemetry));
  assert.deepEqual(await link.isRunning(10_000), { healthy: true });
  assert.deepEqual(await link.isSettled(55_000), { healthy: true });
});

test('isSettled() ends in time and says what is missing', async () => {
  await using scope = new AsyncDisposableStack();
  const socket = join(folder, 'never.sock');
  await startBridge(socket, Number.POSITIVE_INFINITY, scope);
  const link = scope.use(openUdevdLink(socket, noTelemetry));
  assert.deepEqual(await link.isRunning(10_000.5), { healthy: true });
  assert.deepEqual(await link.isSettled(1000), { healthy: false, message: unsettled });
});
