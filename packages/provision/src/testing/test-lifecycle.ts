// The behaviour that all kinds of clusters share: a cluster is created, kept, stopped, started and destroyed,
// as a whole and node by node.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import type { ClusterView } from '../domain/provisioner.ts';
import { listClusters } from '../list-clusters.ts';
import type { ClusterHome } from './test-cluster.ts';

const never = new AbortController().signal;

const create = (cluster: ClusterHome) =>
  cluster.provisioner.create(cluster.request({ ifAbsent: true }), cluster.progress, never);
const start = (cluster: ClusterHome, node?: string) =>
  cluster.provisioner.start({ ...cluster.ref(), node }, cluster.progress, never);
const stop = (cluster: ClusterHome, node?: string) =>
  cluster.provisioner.stop({ ...cluster.ref(), node }, cluster.progress);
const states = ({ nodes }: ClusterView) => nodes.map(({ state }) => state);

/** Declares the tests for one kind of cluster. */
export function testLifecycle(kind: string, open: () => Promise<ClusterHome>): void {
  test(`${kind}: a stopped node stays off until it is started, and the other nodes run on`, async () => {
    await using cluster = await open();
    const before = await create(cluster);
    assert.equal(before.answering, 2);
    assert.deepEqual(states(await stop(cluster, 'node02')), ['running', 'off']);
    // Stopping the node again changes nothing.
    assert.deepEqual(states(await stop(cluster, 'node02')), ['running', 'off']);
    const after = await start(cluster, 'node02');
    assert.deepEqual(states(after), ['running', 'running']);
    assert.equal(after.nodes[0]?.pid, before.cluster.nodes[0]?.pid);
    assert.notEqual(after.nodes[1]?.pid, before.cluster.nodes[1]?.pid);
    assert.equal(after.nodes[1]?.restarts, 0);
  });

  test(`${kind}: a cluster that was stopped as a whole starts again with the same addresses`, async () => {
    await using cluster = await open();
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

  test(`${kind}: starting a running cluster starts its nodes that are off`, async () => {
    await using cluster = await open();
    await create(cluster);
    await stop(cluster, 'node01');
    await start(cluster);
    const { nodes } = await cluster.provisioner.show(cluster.ref());
    assert.deepEqual(
      nodes.map(({ state }) => state),
      ['running', 'running'],
    );
  });

  test(`${kind}: starting or stopping an unknown cluster or node fails`, async () => {
    await using cluster = await open();
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

  test(`${kind}: a running cluster is kept, and a destroyed one leaves nothing behind`, async () => {
    await using cluster = await open();
    const made = await create(cluster);
    const kept = await create(cluster);
    assert.deepEqual([made.outcome, kept.outcome], ['created', 'kept']);
    assert.deepEqual(kept.cluster, made.cluster);
    await assert.rejects(cluster.provisioner.create(cluster.request(), cluster.progress, never), {
      kind: 'already-exists',
    });
    const logs = cluster.provisioner.logs(cluster.ref(), { node: 'node02', follow: false, signal: never });
    assert.deepEqual([...new Set((await Array.fromAsync(logs)).map(({ node }) => node))], ['node02']);
    await cluster.provisioner.destroy(cluster.ref(), { force: false }, cluster.progress);
    assert.deepEqual(await readdir(cluster.ref().clustersFolder), []);
    await assert.rejects(cluster.provisioner.show(cluster.ref()), { kind: 'not-found' });
  });

  test(`${kind}: a creation that fails after its nodes started leaves nothing behind`, async () => {
    await using cluster = await open();
    const request = cluster.request({ talosconfig: '/sys/none/config' });
    await assert.rejects(cluster.provisioner.create(request, cluster.progress, never), {
      kind: 'permission-denied',
    });
    assert.deepEqual(await readdir(cluster.ref().clustersFolder), []);
  });
}
