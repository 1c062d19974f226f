// Arguments of etcd that change on every control plane at the same moment.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { etcdPorts } from '@nodewright/contract';
import { skipWithoutEtcd } from '@nodewright/etcd/testing';
import { eventually } from '@nodewright/testkit';
import { WriteLedger } from '../../chaos/write-ledger.ts';
import { hostnamePatch } from '../hostname-patch.ts';
import { etcdPidOf, formTimeoutMs, openEtcd, openEtcdCluster, votersOf } from './etcd-cluster.ts';
import type { ProcessCluster, ProcessNode } from './process-cluster.ts';

const skip = skipWithoutEtcd();
const scope = new AsyncDisposableStack();
let cluster: ProcessCluster;
before(async () => {
  if (!skip) cluster = scope.use(await openEtcdCluster());
});
after(() => scope.disposeAsync());

const allNames = 'node01,node02,node03';
const restarted = /Restarting with other settings/g;

async function patch(...patches: string[]) {
  const words = patches.flatMap((text) => ['-p', text]);
  const { exitCode, stderr } = await cluster.talosctl('-n', allNames, 'patch', 'mc', ...words);
  assert.equal(exitCode, 0, stderr);
}

const withArgument = (name: string, value: string) =>
  JSON.stringify({ cluster: { etcd: { extraArgs: { [name]: value } } } });

async function commandLineOf(node: ProcessNode): Promise<string> {
  const pid = await etcdPidOf(node);
  if (pid === undefined) return '';
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
}

const runWith = async (argument: string) =>
  (await Promise.all(cluster.controlPlanes.map(commandLineOf))).filter((line) => line.includes(argument))
    .length;

/** How often each control plane has restarted its etcd for its settings, as the history of the service says. */
async function restarts(): Promise<number[]> {
  const histories = cluster.controlPlanes.map(({ name }) => cluster.talosctl('-n', name, 'service', 'etcd'));
  return (await Promise.all(histories)).map(({ stdout }) => stdout.match(restarted)?.length ?? 0);
}

/**
 * Connects to every member again and again until `signal` aborts; returns the greatest number that nothing
 * listened for at once. A kernel refuses a connection at once, however busy the machine is, while a slow answer
 * says nothing about a restart.
 */
async function mostDown(signal: AbortSignal): Promise<number> {
  let most = 0;
  while (!signal.aborted) {
    const states = await Promise.all(cluster.controlPlanes.map(isListening));
    most = Math.max(most, states.filter((up) => !up).length);
    await sleep(50);
  }
  return most;
}

async function isListening({ address }: ProcessNode): Promise<boolean> {
  const socket = connect(etcdPorts.client, address);
  return await once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}

test('new arguments for all control planes restart one etcd after the other, and no write is lost', {
  skip,
}, async () => {
  await using etcd = await openEtcd(cluster.controlPlanes);
  const ledger = new WriteLedger(etcd, 'test/arguments/');
  const stop = new AbortController();
  const writing = ledger.writeUntil(stop.signal);
  const watching = mostDown(stop.signal);
  await patch(withArgument('max-request-bytes', '2097152'));
  const isDone = async () => (await runWith('--max-request-bytes=2097152')) === 3;
  await eventually(isDone, { what: 'three etcds with the new argument', timeoutMs: formTimeoutMs });
  await eventually(async () => (await votersOf(cluster.controlPlanes)) === 'node01 node02 node03', {
    what: 'three voters',
    timeoutMs: formTimeoutMs,
  });
  stop.abort();
  const [most] = await Promise.all([watching, writing]);
  assert.deepEqual(
    {
      isOneAtATime: most <= 1,
      restarts: await restarts(),
      lost: await ledger.lost(),
      hasWritten: ledger.acknowledged > 20,
    },
    { isOneAtATime: true, restarts: [1, 1, 1], lost: [], hasWritten: true },
  );
});

test('the graph of controllers shows what restarts etcd', { skip }, async () => {
  const { stdout } = await cluster.talosctl('-n', 'node01', 'inspect', 'dependencies');
  assert.match(stdout, /"EtcdSpecs[^"]*" -> "etcd\.ServiceController"/);
});

test('an argument that etcd refuses stops one member, and the others keep theirs until it is mended', {
  skip,
}, async () => {
  await using etcd = await openEtcd(cluster.controlPlanes);
  const before = await restarts();
  await patch(withArgument('no-such-flag', 'x'));
  const total = async () => (await restarts()).reduce((sum, count) => sum + count, 0);
  const first = before.reduce((sum, count) => sum + count, 0) + 1;
  await eventually(async () => (await total()) === first, {
    what: 'first restart',
    timeoutMs: formTimeoutMs,
  });
  // Longer than a member of the queue waits before it looks at the others again.
  for (let second = 0; second < 12; second += 1) {
    await sleep(1000);
    assert.equal(await total(), first);
  }
  assert.ok((await etcd.put('test/arguments/broken', 'kept')) > 0n);
  await patch(JSON.stringify({ cluster: { etcd: { extraArgs: { $patch: 'delete' } } } }));
  await eventually(async () => (await votersOf(cluster.controlPlanes)) === 'node01 node02 node03', {
    what: 'three voters after the argument was mended',
    timeoutMs: formTimeoutMs,
  });
  const isMended = async () =>
    (await runWith('--listen-peer-urls')) === 3 && (await runWith('--max-request')) === 0;
  await eventually(isMended, { what: 'three etcds without arguments', timeoutMs: formTimeoutMs });
  assert.equal(await runWith('--no-such-flag'), 0);
});

test('new names for all control planes reach etcd, one member after the other, and each stays the member it was', {
  skip,
}, async () => {
  await using etcd = await openEtcd(cluster.controlPlanes);
  const idsBy = async (nameOf: (at: number) => string) => {
    const members = await etcd.members({ linearizable: true, timeoutMs: 3000 });
    return cluster.controlPlanes.map((_, at) => members.find(({ name }) => name === nameOf(at))?.id);
  };
  const before = await idsBy((at) => `node0${at + 1}`);
  const stop = new AbortController();
  const watching = mostDown(stop.signal);
  for (const [at, { address }] of cluster.controlPlanes.entries()) {
    const renamed = await cluster.talosctl(
      '-n',
      address,
      'patch',
      'mc',
      '-p',
      hostnamePatch(`renamed${at + 1}`),
    );
    assert.equal(renamed.exitCode, 0, renamed.stderr);
  }
  await eventually(async () => (await votersOf(cluster.controlPlanes)) === 'renamed1 renamed2 renamed3', {
    what: 'three voters with new names',
    timeoutMs: formTimeoutMs,
  });
  stop.abort();
  assert.ok((await watching) <= 1);
  assert.deepEqual(await idsBy((at) => `renamed${at + 1}`), before);
});
