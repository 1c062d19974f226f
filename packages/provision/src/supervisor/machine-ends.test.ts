// Nodes whose exit code tells how they ended: a node that reboots is restarted, and one that was shut down
// stays off.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodePaths, ports } from '@nodewright/contract';
import { eventually } from '@nodewright/testkit';
import { clusterFolder } from '../cluster/cluster-folder.ts';
import { readProcess } from '../cluster/read-process.ts';
import type { NodeView } from '../domain/provisioner.ts';
import { openTestCluster, type TestCluster } from '../testing/test-cluster.ts';

const never = new AbortController().signal;
const timeoutMs = 20_000;

async function create(cluster: TestCluster) {
  await cluster.provisioner.create(cluster.request({ ifAbsent: true }), cluster.progress, never);
}

async function nodeOf(cluster: TestCluster, name: string): Promise<NodeView> {
  const { nodes } = await cluster.provisioner.show(cluster.ref());
  const node = nodes.find((view) => view.name === name);
  assert.ok(node !== undefined);
  return node;
}

/** Whether the node's program has started and handles signals. */
async function listens({ address }: NodeView): Promise<boolean> {
  const socket = connect(ports.apid, address);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

const signal = async (cluster: TestCluster, name: string, word: NodeJS.Signals) =>
  process.kill((await nodeOf(cluster, name)).pid ?? 0, word);

test('a node that reboots is restarted at once, after its children were killed, and this does not count as a death', async () => {
  await using cluster = await openTestCluster({ child: true });
  await create(cluster);
  for (let round = 0; round < 3; round++) {
    const before = await nodeOf(cluster, 'node01');
    await signal(cluster, 'node01', 'SIGHUP');
    const isAnew = async () => {
      const { state, pid } = await nodeOf(cluster, 'node01');
      return state === 'running' && pid !== before.pid && (await listens(before));
    };
    await eventually(isAnew, { what: 'node that has rebooted', timeoutMs });
    assert.equal(readProcess(before.pid ?? 0), undefined);
  }
  const { restarts, lastExit } = await nodeOf(cluster, 'node01');
  assert.deepEqual([restarts, lastExit], [0, 'reboot']);
});

test('a node that was shut down is shown as off, and the next creation starts it', async () => {
  await using cluster = await openTestCluster();
  await create(cluster);
  const other = await nodeOf(cluster, 'node02');
  await signal(cluster, 'node01', 'SIGUSR2');
  const isOff = async () => (await nodeOf(cluster, 'node01')).state === 'off';
  await eventually(isOff, { what: 'node that is off', timeoutMs });
  // Longer than the delay before a supervisor restarts a node that died.
  await sleep(1500);
  const { state, pid, restarts, lastExit } = await nodeOf(cluster, 'node01');
  assert.deepEqual([state, pid, restarts, lastExit], ['off', undefined, 0, 'power off']);

  await create(cluster);
  const runs = async () => (await nodeOf(cluster, 'node01')).state === 'running';
  await eventually(runs, { what: 'node that was started', timeoutMs });
  assert.ok(cluster.notes.includes('starting the stopped nodes: node01'), cluster.notes.join());
  assert.equal((await nodeOf(cluster, 'node02')).pid, other.pid);
});

test('destroy() removes a cluster with a node that is off', async () => {
  await using cluster = await openTestCluster();
  await create(cluster);
  await signal(cluster, 'node02', 'SIGUSR2');
  const isOff = async () => (await nodeOf(cluster, 'node02')).state === 'off';
  await eventually(isOff, { what: 'node that is off', timeoutMs });
  await cluster.provisioner.destroy(cluster.ref(), { force: false }, cluster.progress);
  await assert.rejects(cluster.provisioner.show(cluster.ref()), { kind: 'not-found' });
});

test('create() does not wait for a node that was reset', async () => {
  await using cluster = await openTestCluster();
  await create(cluster);
  const { folder } = await cluster.provisioner.show(cluster.ref());
  rmSync(join(clusterFolder(folder).nodeRoot('node02'), nodePaths.machineConfig));
  await create(cluster);
  const note = cluster.notes.find((text) => text.includes('need a machine configuration'));
  assert.match(note ?? '', /nodes that were reset and need a machine configuration: node02 \(127\./);
});
