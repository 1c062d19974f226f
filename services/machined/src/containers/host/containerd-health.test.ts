import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createRpcServer } from '@nodewright/rpc';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { openContainerdHealth } from './containerd-health.ts';

test('containerd is healthy while its health service says that it serves', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'health-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const socket = join(folder, 'socket');
  using health = openContainerdHealth(socket);
  assert.equal((await health.check(500)).healthy, false);
  const log = createLogger({ name: 'test', telemetry: noTelemetry, destination: { write: () => {} } });
  await using server = createRpcServer({ services: [], telemetry: noTelemetry, log });
  await server.listenUnix(socket, {});
  const isHealthy = async () => (await health.check(500)).healthy;
  await eventually(isHealthy, { what: 'health, after the pause before the next connection' });
});
