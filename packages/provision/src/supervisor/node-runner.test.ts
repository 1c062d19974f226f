import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { NodeRunner } from './node-runner.ts';

test('NodeRunner keeps the log of a node short while the node runs', async () => {
  using scope = new DisposableStack();
  const root = mkdtempSync(join(tmpdir(), 'node-'));
  scope.defer(() => rmSync(root, { recursive: true }));
  const logPath = join(root, 'node01.log');
  const writes = `setInterval(() => process.stdout.write('x'.repeat(99) + '\\n'), 2)`;
  await using node = new NodeRunner({
    ...{ name: 'node01', root, logPath, pidPath: join(root, 'node01.pid') },
    command: [process.execPath, '-e', writes],
    environment: {},
    log: createLogger({ name: 'supervisor', telemetry: noTelemetry, level: 'silent' }),
    stopTimeoutMs: 1000,
    now: () => new Date(),
    outputLimits: { keepBytes: 1000, everyMs: 5 },
  });
  node.start();
  await eventually(() => existsSync(`${logPath}.1`), { what: 'earlier log', timeoutMs: 20_000 });
  // The node goes on writing to the emptied file.
  await eventually(() => statSync(logPath).size > 0, { what: 'output' });
  assert.deepEqual([node.status().state, node.status().restarts], ['running', 0]);
});
