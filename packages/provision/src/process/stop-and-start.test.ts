// A cluster that is stopped and started again, as a whole and node by node.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listClusters } from '../list-clusters.ts';
import type { ClusterView } from '../provisioner.ts';
import { openTestCluster, type TestCluster } from '../testing/test-cluster.ts';

const never = new AbortController().signal;

const create = (cluster: TestCluster) =>
  cluster.provisioner.create(cluster.request({ ifAbsent: true }), cluster.progress, never);
const start = (cluster: TestCluster, node?: string) =>
  cluster.provisioner.start({ ...cluster.ref(), node }, cluster.progress, never);
const stop = (cluster: TestCluster, node?: string) =>
  cluster.provisioner.stop({ ...cluster.ref(), node }, cluster.progress);
const states = ({ nodes }: ClusterView) => nodes.map(({ state }) => state);

test('one node is stopped, stays off, and is started again; the others go on', async () => {
  await using cluster = await openTestCluster({ child: true });
  const before = await create(cluster);
  assert.equal(before.answering, 2);
  assert.deepEqual(states(await stop(cluster, 'node02')), ['running', 'off']);
  // Again: it is left alone.
  assert.deepEqual(states(await stop(cluster, 'node02')), ['running', 'off']);
  const after = await start(cluster, 'node02');
  assert.deepEqual(states(after), ['running', 'running']);
  assert.equal(after.nodes[0]?.pid, before.cluster.nodes[0]?.pid);
  assert.notEqual(after.nodes[1]?.pid, before.cluster.nodes[1]?.pid);
  assert.equal(after.nodes[1]?.restarts, 0);
});

test('a cluster is stopped as a whole, keeps its addresses, and starts again', async () => {
  await using cluster = await openTestCluster();
  const { network, nodes } = (await create(cluster)).cluster;
  const stopped = await stop(cluster);
  assert.deepEqual([stopped.state, ...states(stopped)], ['stopped', 'stopped', 'stopped']);
  assert.equal((await stop(cluster)).state, 'stopped');
  await assert.rejects(start(cluster, 'node01'), {
    kind: 'failed-precondition',
    message: /is stopped: start it as a whole \(talosctl cluster start --name c\)/,
  });
  const started = await start(cluster);
  assert.deepEqual([started.state, ...states(started)], ['running', 'running', 'running']);
  assert.deepEqual(started.network, network);
  assert.deepEqual(
    started.nodes.map(({ address }) => address),
    nodes.map(({ address }) => address),
  );
});

test('start of a cluster that runs starts the nodes that are off', async () => {
  await using cluster = await openTestCluster();
  await create(cluster);
  await stop(cluster, 'node01');
  await start(cluster);
  const { nodes } = await cluster.provisioner.show(cluster.ref());
  assert.deepEqual(
    nodes.map(({ state }) => state),
    ['running', 'running'],
  );
});

test('what is not there is neither started nor stopped', async () => {
  await using cluster = await openTestCluster();
  for (const change of [start, stop]) {
    await assert.rejects(change(cluster), { kind: 'not-found', message: /^no cluster "c" in / });
  }
  await create(cluster);
  for (const change of [start, stop]) {
    await assert.rejects(change(cluster, 'node09'), {
      kind: 'invalid-argument',
      message: 'cluster "c" has no node "node09"; it has: node01, node02',
    });
  }
  assert.deepEqual(await listClusters(cluster.ref().clustersFolder), ['c']);
  assert.deepEqual(await listClusters('/nowhere'), []);
});
