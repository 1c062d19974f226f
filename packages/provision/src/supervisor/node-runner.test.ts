import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
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

/** A node that reboots at once, whenever it is started; `onReboot` is called while its supervisor plans the next start. */
function startRebootingNode(onReboot: (node: NodeRunner, reboots: number) => void) {
  const scope = new AsyncDisposableStack();
  const root = mkdtempSync(join(tmpdir(), 'node-'));
  scope.defer(() => rmSync(root, { recursive: true }));
  const counts = { starts: 0, reboots: 0 };
  const node: NodeRunner = scope.use(
    new NodeRunner({
      ...{ name: 'node01', root, logPath: join(root, 'node01.log'), pidPath: join(root, 'node01.pid') },
      nextStart() {
        counts.starts += 1;
        return { command: [process.execPath, '-e', `process.exit(${nodeExitCodes.reboot})`] };
      },
      environment: {},
      log: createLogger({
        ...{ name: 'supervisor', telemetry: noTelemetry },
        destination: {
          write(line) {
            if (!line.includes('"node reboots"')) return;
            counts.reboots += 1;
            onReboot(node, counts.reboots);
          },
        },
      }),
      stopTimeoutMs: 60_000,
      now: () => new Date(),
    }),
  );
  node.start();
  return { node, counts, [Symbol.asyncDispose]: () => scope.disposeAsync() };
}

/** After how many reboots in a row, and how much later: while the processes of the node end, and in the pause of a second that follows. */
const moments = [
  [1, 0],
  [2, 100],
] as const;

test('NodeRunner does not start a node again that is stopped during its reboot, in any moment of it', async () => {
  for (const [last, laterMs] of moments) {
    // The pause counts from the start before. On a busy machine it is over when this comes, and the node has started again.
    let startsBefore = 0;
    await using rebooting = startRebootingNode((node, reboots) => {
      if (reboots !== last) return;
      const turnOff = () => {
        startsBefore = counts.starts;
        node.turnOff();
      };
      if (laterMs === 0) turnOff();
      else setTimeout(turnOff, laterMs);
    });
    const { node, counts } = rebooting;
    await eventually(() => startsBefore > 0 && node.status().state === 'off', { what: 'node off' });
    await sleep(laterMs === 0 ? 300 : 1500);
    assert.deepEqual([counts.starts, node.status().state], [startsBefore, 'off']);
  }
});

test('NodeRunner starts no node again after its own end, which came during a reboot of the node', async () => {
  for (const [last, laterMs] of moments) {
    const ended = Promise.withResolvers<void>();
    let startsBefore = 0;
    await using rebooting = startRebootingNode((node, reboots) => {
      if (reboots !== last) return;
      const end = () => {
        startsBefore = rebooting.counts.starts;
        ended.resolve(node[Symbol.asyncDispose]());
      };
      if (laterMs === 0) end();
      else setTimeout(end, laterMs);
    });
    await ended.promise;
    await sleep(laterMs === 0 ? 300 : 1500);
    assert.deepEqual([rebooting.counts.starts, rebooting.node.status().state], [startsBefore, 'stopping']);
  }
});
