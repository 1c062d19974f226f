import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterView } from '@nodewright/provision';
import { clusterText } from './cluster-tables.ts';
import { createStepLines } from './step-lines.ts';

const cluster: ClusterView = {
  provisioner: 'process',
  name: 'c',
  folder: '/home/me/clusters/c',
  state: 'running',
  supervisor: { pid: 7, log: '/home/me/clusters/c/supervisor.log' },
  network: { name: 'loopback', cidr: '127.20.1.0/24', gateway: '127.20.1.1', mtu: 65536 },
  kubernetesEndpoint: 'https://127.20.1.2:6443',
  talosconfig: { path: '/home/me/config', context: 'c-1' },
  nodes: [
    { name: 'node02', type: 'worker', address: '127.20.1.3', state: 'stopped' },
    { name: 'node01', type: 'controlplane', address: '127.20.1.2', state: 'running', pid: 8, restarts: 2 },
  ],
};

test('clusterText() prints both tables, with the nodes sorted by name', () => {
  assert.equal(
    clusterText(cluster),
    `PROVISIONER           process
NAME                  c
NETWORK NAME          loopback
NETWORK CIDR          127.20.1.0/24
NETWORK GATEWAY       127.20.1.1
NETWORK MTU           65536
KUBERNETES ENDPOINT   https://127.20.1.2:6443
STATE                 running (supervisor pid 7)
STATE FOLDER          /home/me/clusters/c
TALOSCONFIG CONTEXT   c-1 in /home/me/config

NODES:

NAME     TYPE           IP           CPU   RAM   DISK   STATE     PID   RESTARTS
node01   controlplane   127.20.1.2   -     -     -      running   8     2
node02   worker         127.20.1.3   -     -     -      stopped   -     -
`,
  );
});

test('clusterText() says that a creation was interrupted', () => {
  const { supervisor: _, talosconfig: __, ...rest } = cluster;
  const text = clusterText({ ...rest, state: 'incomplete', nodes: [] });
  assert.match(text, /^STATE +incomplete: its creation was interrupted$/m);
  assert.match(text, /^TALOSCONFIG CONTEXT +-$/m);
});

test('createStepLines() prints each completed step with its seconds, and a check mark on a terminal', async () => {
  const lines: string[] = [];
  const write = (text: string | Uint8Array) => lines.push(String(text));
  for (const isTTY of [false, true]) {
    let now = 1000;
    const progress = createStepLines({ write, isTTY }, () => now);
    const secrets = async () => {
      now += 1260;
      return 42;
    };
    assert.equal(await progress.step('secrets', secrets), 42);
    await assert.rejects(
      progress.step('broken', () => Promise.reject(new Error('it broke'))),
      /it broke/,
    );
    progress.note('by the way');
  }
  assert.deepEqual(lines, [
    'secrets 1.3s\n',
    'by the way\n',
    '\u001b[32m✓\u001b[0m secrets 1.3s\n',
    'by the way\n',
  ]);
});

test('createStepLines() names on a terminal the steps that have not completed after a second', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const lines: string[] = [];
  const write = (text: string | Uint8Array) => lines.push(String(text));
  const progress = createStepLines({ write, isTTY: true }, () => 0);
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const steps = [progress.step('one', () => first.promise), progress.step('two', () => second.promise)];
  context.mock.timers.tick(1000);
  first.resolve();
  await steps[0];
  context.mock.timers.tick(1000);
  second.resolve();
  await steps[1];
  context.mock.timers.tick(5000);
  const named = lines.map((line) => /waiting for: [a-z, ]+/.exec(line)?.[0]).filter(Boolean);
  assert.deepEqual(named, ['waiting for: one, two ', 'waiting for: two ']);
  assert.match(lines.at(-1) ?? '', /two 0\.0s\n$/);
});

test('createStepLines() says every ten seconds without a terminal what it waits for, and why', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const lines: string[] = [];
  const progress = createStepLines({ write: (text) => lines.push(String(text)) }, () => 0);
  const first = Promise.withResolvers<void>();
  const step = progress.step('node01 votes in etcd', (say) => {
    say('an older reason');
    say('write /x: ENOSPC');
    return first.promise;
  });
  context.mock.timers.tick(9_999);
  assert.deepEqual(lines, []);
  context.mock.timers.tick(10_001);
  first.resolve();
  await step;
  context.mock.timers.tick(60_000);
  const waits = 'waiting for: node01 votes in etcd (write /x: no space left on device)\n';
  assert.deepEqual(lines, [waits, waits, 'node01 votes in etcd 0.0s\n']);
});
