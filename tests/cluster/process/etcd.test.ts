// etcd of control planes through the lives and deaths of its processes.
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { nodePaths } from '@nodewright/contract';
import { skipWithoutEtcd } from '@nodewright/etcd/testing';
import { faultFrom } from '@nodewright/fault';
import { eventually } from '@nodewright/testkit';
import { etcdPidOf, formTimeoutMs, openEtcd, openEtcdCluster, votersOf } from './etcd-cluster.ts';
import type { ProcessCluster, ProcessNode } from './process-cluster.ts';

const skip = skipWithoutEtcd();
const scope = new AsyncDisposableStack();
let cluster: ProcessCluster;
before(async () => {
  if (!skip) cluster = scope.use(await openEtcdCluster());
});
after(() => scope.disposeAsync());

const allVote = 'node01 node02 node03';
const awaitVotes = (what: string) =>
  eventually(async () => (await votersOf(cluster.controlPlanes)) === allVote, {
    what: `three voters ${what}`,
    timeoutMs: formTimeoutMs,
  });

test('a new cluster has three voters, an etcd on no worker, and tells its members by id', {
  skip,
}, async () => {
  assert.equal(await votersOf(cluster.controlPlanes), allVote);
  assert.equal(await etcdPidOf(cluster.workers[0] as ProcessNode), undefined);
  const { stdout } = await cluster.talosctl(
    ...['get', 'etcdmember', 'local', '-o', 'jsonpath={.spec.memberID}', '-n', 'node01,node02,node03'],
  );
  await using etcd = await openEtcd(cluster.controlPlanes);
  const ids = (await etcd.members()).map(({ id }) => id.toString(16).padStart(16, '0'));
  assert.deepEqual(stdout.match(/[0-9a-f]{16}/g)?.sort(), ids.sort());
});

test('Bootstrap of a node that has data, of a worker, and of one that is to join, is refused with the reason', {
  skip,
}, async () => {
  using client = await cluster.client();
  const refusal = async (node: string) => {
    try {
      await client.node(node).machine.bootstrap({});
    } catch (error) {
      const { kind, message } = faultFrom(error);
      return `${kind}: ${message}`;
    }
    return 'none';
  };
  assert.match(await refusal('node02'), /^already-exists: .*etcd data directory is not empty/);
  assert.match(
    await refusal('node04'),
    /^unimplemented: .*bootstrap is only available on control plane nodes/,
  );
});

test('each etcd that is killed is back within seconds, and no write is lost', { skip }, async () => {
  await using etcd = await openEtcd(cluster.controlPlanes);
  for (const node of cluster.controlPlanes) {
    const pid = await etcdPidOf(node);
    assert.ok(pid !== undefined);
    process.kill(pid, 'SIGKILL');
    // One that comes while a leader is chosen is not acknowledged: it may be made again.
    const write = async () => (await etcd.put(`test/killed/${node.name}`, node.name)) > 0n;
    await eventually(write, { what: 'write without one member', timeoutMs: 30_000 });
    const isBack = async () => ![undefined, pid].includes(await etcdPidOf(node));
    await eventually(isBack, { what: `etcd of ${node.name} that runs again`, timeoutMs: 20_000 });
    await awaitVotes(`after the death of ${node.name}'s`);
  }
  const { keyValues } = await etcd.list('test/killed/');
  assert.deepEqual(
    keyValues.map(({ value }) => Buffer.from(value).toString()),
    ['node01', 'node02', 'node03'],
  );
});

test('a machined that is killed takes its etcd along, and comes back with the data', { skip }, async () => {
  const [node] = cluster.controlPlanes as [ProcessNode];
  const pid = await etcdPidOf(node);
  await node.signal('machined', 'SIGKILL');
  const isGone = async () => (await etcdPidOf(node)) !== pid;
  await eventually(isGone, { what: 'etcd that is ended with its node', timeoutMs: 5000 });
  await awaitVotes('after the death of a node');
});

test('a cluster that was stopped finds its data again, and says so when all votes are there', {
  skip,
}, async () => {
  {
    await using etcd = await openEtcd(cluster.controlPlanes);
    await etcd.put('test/stopped', 'kept');
  }
  const { pid } = cluster.view.supervisor ?? {};
  assert.ok(pid !== undefined);
  process.kill(pid, 'SIGTERM');
  const isStopped = async () => (await cluster.show()).state === 'stopped';
  await eventually(isStopped, { what: 'cluster that is stopped', timeoutMs: 40_000 });
  for (const node of cluster.nodes) assert.equal(await etcdPidOf(node), undefined);
  const started = await cluster.talosctl(
    ...['cluster', 'create', '--name', cluster.name, '--controlplanes', '3', '--workers', '1'],
  );
  assert.equal(started.exitCode, 0, started.stderr);
  assert.match(started.stderr, /^cluster "test": 3 control planes vote in etcd after \d+\.\ds$/m);
  assert.equal(started.stderr.includes('bootstrapped'), false);
  await using etcd = await openEtcd(cluster.controlPlanes);
  const found = await etcd.get('test/stopped');
  assert.equal(Buffer.from(found?.value ?? []).toString(), 'kept');
});

test('two members that are lost for good, and the data of the third: a snapshot brings the data back to three', {
  skip,
}, async () => {
  const [first, second, third] = cluster.controlPlanes as [ProcessNode, ProcessNode, ProcessNode];
  {
    await using etcd = await openEtcd(cluster.controlPlanes);
    await etcd.put('test/recovered', 'from the snapshot');
  }
  for (const node of [second, third]) await loseData(node);
  const snapshot: Uint8Array[] = [];
  await using survivor = await openEtcd([first]);
  // Without a quorum nothing is agreed upon any more, but what is there can be read.
  await assert.rejects(survivor.put('test/after', 'x', { timeoutMs: 3000 }));
  for await (const chunk of survivor.snapshot()) snapshot.push(chunk);
  await loseData(first);
  const path = join(first.root, nodePaths.etcdSnapshot);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, Buffer.concat(snapshot));
  using client = await cluster.client();
  const bootstrap = async () => {
    await client.node(first.address).machine.bootstrap({ recoverEtcd: true });
    return true;
  };
  await eventually(bootstrap, { what: 'node that recovers etcd', timeoutMs: 40_000 });
  await awaitVotes('after the recovery');
  await using etcd = await openEtcd(cluster.controlPlanes);
  const found = await etcd.get('test/recovered');
  assert.equal(Buffer.from(found?.value ?? []).toString(), 'from the snapshot');
  assert.equal((await readdir(dirname(path))).includes('etcd.snapshot'), false);
});

/** Ends a node and takes its data of etcd away before it is started again. */
async function loseData(node: ProcessNode): Promise<void> {
  const data = join(node.root, nodePaths.etcdData);
  await node.signal('machined', 'SIGKILL');
  // Ends with the node's process group; the node itself is started again after a second.
  await eventually(async () => (await etcdPidOf(node)) === undefined, {
    what: 'etcd that is gone',
    timeoutMs: 900,
  });
  await rm(data, { recursive: true, force: true });
}

test('the control plane at the endpoint of the cluster joins again with a vote after a reset', {
  skip,
}, async () => {
  const [endpoint, other] = cluster.controlPlanes as [ProcessNode, ProcessNode];
  await awaitVotes('before the reset');
  const file = join(endpoint.root, 'config-to-apply.yaml');
  await writeFile(file, await readFile(join(endpoint.root, nodePaths.machineConfig)));
  const reset = await cluster.talosctl(
    '-e',
    other.address,
    '-n',
    endpoint.address,
    'reset',
    '--reboot',
    '--yes',
  );
  assert.equal(reset.exitCode, 0, reset.stderr);
  const apply = async () =>
    (await cluster.talosctl('apply-config', '-i', '-n', endpoint.address, '-f', file)).exitCode === 0;
  await eventually(apply, { what: 'a configuration for the node in maintenance', timeoutMs: formTimeoutMs });
  await awaitVotes('after the reset of the endpoint');
});
