import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { nodeExitCodes } from '@nodewright/contract';
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
    nextStart: () => ({ command: [process.execPath, '-e', writes] }),
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

/** A node that ends only when it is let go: after SIGTERM with 0, after SIGUSR2 as for a shutdown through its API. */
const slowNode = `
const { existsSync, writeFileSync } = require('node:fs');
const stop = (code) => setInterval(() => existsSync('go') && process.exit(code), 5);
process.on('SIGTERM', () => stop(0)).on('SIGUSR2', () => stop(${nodeExitCodes.powerOff}));
setInterval(() => {}, 1000);
writeFileSync('up-' + process.pid, '');`;

async function startSlowNode() {
  const scope = new AsyncDisposableStack();
  const root = mkdtempSync(join(tmpdir(), 'node-'));
  scope.defer(() => rmSync(root, { recursive: true }));
  const node = scope.use(
    new NodeRunner({
      ...{ name: 'node01', root, logPath: join(root, 'node01.log'), pidPath: join(root, 'node01.pid') },
      nextStart: () => ({ command: [process.execPath, '-e', slowNode] }),
      environment: {},
      log: createLogger({ name: 'supervisor', telemetry: noTelemetry, level: 'silent' }),
      stopTimeoutMs: 60_000,
      now: () => new Date(),
    }),
  );
  const letGo = () => writeFileSync(join(root, 'go'), '');
  scope.defer(letGo);
  node.start();
  const pid = node.status().pid ?? 0;
  await eventually(() => existsSync(join(root, `up-${pid}`)), { what: 'node that listens for signals' });
  return { node, pid, letGo, [Symbol.asyncDispose]: () => scope.disposeAsync() };
}

test('NodeRunner starts a node that is asked for while it is being stopped, once it has stopped', async () => {
  await using slow = await startSlowNode();
  slow.node.turnOff();
  slow.node.startIfOff();
  assert.equal(slow.node.status().pid, slow.pid);
  slow.letGo();
  await eventually(() => slow.node.status().pid !== slow.pid && slow.node.status().state !== 'restarting', {
    what: 'end of the first run',
  });
  assert.deepEqual([slow.node.status().state, slow.node.status().restarts], ['running', 0]);
});

test('NodeRunner starts a node that is asked for during a shutdown through its API', async () => {
  await using slow = await startSlowNode();
  process.kill(slow.pid, 'SIGUSR2');
  slow.node.start();
  slow.letGo();
  await eventually(() => slow.node.status().pid !== slow.pid && slow.node.status().state !== 'restarting', {
    what: 'end of the first run',
  });
  assert.equal(slow.node.status().state, 'running');
});

test('NodeRunner leaves a node off when the last request was to stop it', async () => {
  await using slow = await startSlowNode();
  slow.node.turnOff();
  slow.node.start();
  slow.node.turnOff();
  slow.letGo();
  await eventually(() => slow.node.status().pid === undefined, { what: 'end of the node' });
  assert.equal(slow.node.status().state, 'off');
});

test('NodeRunner starts a node once whose files cannot be written or removed', async () => {
  using scope = new DisposableStack();
  const root = mkdtempSync(join(tmpdir(), 'node-'));
  scope.defer(() => rmSync(root, { recursive: true }));
  // Folders in the places of files, and a slot that is no folder.
  const pidPath = join(root, 'node01.pid');
  mkdirSync(pidPath);
  mkdirSync(join(root, 'B', 'alive'), { recursive: true });
  writeFileSync(join(root, 'A'), '');
  for (const slot of ['A', 'B']) {
    let starts = 0;
    await using node = new NodeRunner({
      ...{ name: 'node01', root, logPath: join(root, 'node01.log'), pidPath },
      nextStart() {
        starts += 1;
        return { command: [process.execPath, '-e', 'setInterval(() => {}, 1000)'], tried: join(root, slot) };
      },
      environment: {},
      log: createLogger({ name: 'supervisor', telemetry: noTelemetry, level: 'silent' }),
      stopTimeoutMs: 1000,
      now: () => new Date(),
    });
    node.start();
    assert.deepEqual([node.status().state, starts], ['running', 1]);
  }
});
