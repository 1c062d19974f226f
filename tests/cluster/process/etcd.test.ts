// etcd of control planes while its processes are started, killed and replaced.
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { nodePaths } from '@nodewright/contract';
import { skipWithoutEtcd } from '@nodewright/etcd/testing';
import { faultFrom } from '@nodewright/fault';
import { eventually } from '@nodewright/testkit';
import { killIfThere } from '../../chaos/kill-if-there.ts';
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

test('a new cluster has three voters and no etcd on workers, and lists its members by id', {
  skip,
}, async () => {
  await awaitVotes('after the cluster was created');
  assert.equal(await etcdPidOf(cluster.workers[0] as ProcessNode), undefined);
  await using etcd = await openEtcd(cluster.controlPlanes);
  const ids = (await etcd.members()).map(({ id }) => id.toString(16).padStart(16, '0')).sort();
  let listed: string[] = [];
  const areListed = async () => {
    const { stdout } = await cluster.talosctl(
      ...['get', 'etcdmember', 'local', '-o', 'jsonpath={.spec.memberID}', '-n', 'node01,node02,node03'],
    );
    listed = stdout.match(/[0-9a-f]{16}/g)?.sort() ?? [];
    return listed.join() === ids.join();
  };
  // A node writes its resource after it became a member.
  const explain = () => `members ${ids}, listed ${listed}`;
  await eventually(areListed, { what: 'every member as a resource of its node', explain });
});

test('Bootstrap is refused with the reason on a node with data, on a worker, and on a node that is about to join', {
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

test('each etcd that is killed runs again within seconds, and no write is lost', { skip }, async () => {
  await using etcd = await openEtcd(cluster.controlPlanes);
  for (const node of cluster.controlPlanes) {
    const pid = await etcdPidOf(node);
    assert.ok(pid !== undefined);
    process.kill(pid, 'SIGKILL');
    // A write during an election is not acknowledged, so it may be repeated.
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

test('when machined is killed its etcd ends too, and both come back with the data', { skip }, async () => {
  const [node] = cluster.controlPlanes as [ProcessNode];
  const pid = await etcdPidOf(node);
  await node.signal('machined', 'SIGKILL');
  const isGone = async () => (await etcdPidOf(node)) !== pid;
  await eventually(isGone, { what: 'etcd that is ended with its node' });
  await awaitVotes('after the death of a node');
});

test('cluster start of one control plane returns when its etcd answers', { skip }, async () => {
  for (const verb of ['stop', 'start']) {
    const { exitCode, stderr } = await cluster.talosctl('cluster', verb, '--name', 'test', 'node03');
    assert.equal(exitCode, 0, stderr);
    if (verb === 'start') assert.match(stderr, /node03 votes in etcd/);
  }
  const { exitCode, stderr } = await cluster.talosctl('-n', 'node03', 'etcd', 'status');
  assert.equal(exitCode, 0, stderr);
});

test('a cluster that was stopped starts with its data, and reports when all voters are present', {
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

test('after two members are lost, a snapshot of the third restores the data on three members', {
  skip,
}, async () => {
  const [first, second, third] = cluster.controlPlanes as [ProcessNode, ProcessNode, ProcessNode];
  {
    await using etcd = await openEtcd(cluster.controlPlanes);
    await etcd.put('test/recovered', 'from the snapshot');
  }
  await loseData(second, third);
  const snapshot: Uint8Array[] = [];
  await using survivor = await openEtcd([first]);
  // Without a quorum nothing can be written, but serializable reads work.
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

/**
 * Kills nodes and removes their etcd data. The supervisor is frozen meanwhile: it would restart each a second after its death, and the
 * first one would be a member again before the next one is lost.
 */
async function loseData(...nodes: readonly ProcessNode[]): Promise<void> {
  const supervisor = (await cluster.show()).supervisor?.pid;
  const machineds = await Promise.all(nodes.map((node) => node.instanceOf('machined')));
  const pids = [...machineds, ...(await Promise.all(nodes.map(etcdPidOf)))];
  assert.ok(supervisor !== undefined && pids.every((pid) => pid !== undefined));
  process.kill(supervisor, 'SIGSTOP');
  try {
    for (const pid of pids) killIfThere(pid);
    for (const node of nodes) {
      await eventually(async () => (await etcdPidOf(node)) === undefined, { what: 'etcd that is gone' });
      await rm(join(node.root, nodePaths.etcdData), { recursive: true, force: true });
    }
  } finally {
    process.kill(supervisor, 'SIGCONT');
  }
}

test("the control plane at the cluster's endpoint joins again as a voter after a reset", {
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

test('a control plane that left etcd with a graceful reset joins again with cluster join, and etcd has three voters and its data', {
  skip,
}, async () => {
  const [first, left, third] = cluster.controlPlanes as [ProcessNode, ProcessNode, ProcessNode];
  await awaitVotes('before the reset');
  {
    await using etcd = await openEtcd(cluster.controlPlanes);
    await etcd.put('test/joined', 'from before');
  }
  const idOf = async () => {
    await using etcd = await openEtcd([first, third]);
    return (await etcd.members()).find(({ name }) => name === left.name)?.id;
  };
  const before = await idOf();
  const reset = await cluster.talosctl('-n', left.name, 'reset', '--reboot', '--yes');
  assert.equal(reset.exitCode, 0, reset.stderr);
  assert.equal(await idOf(), undefined, 'the node is still a member of etcd');
  {
    await using etcd = await openEtcd([first, third]);
    await etcd.put('test/meanwhile', 'from two voters');
  }

  const joined = await cluster.talosctl('cluster', 'join', '--name', 'test', left.name);
  assert.equal(joined.exitCode, 0, joined.stderr);
  // The command itself has waited for the vote.
  assert.equal(await votersOf(cluster.controlPlanes), allVote, joined.stderr);
  const after = await idOf();
  assert.ok(after !== undefined && after !== before, `member ${after} had the same id before`);
  await using own = await openEtcd([left]);
  const values = await Promise.all(['test/joined', 'test/meanwhile'].map((key) => own.get(key)));
  assert.deepEqual(
    values.map((found) => Buffer.from(found?.value ?? []).toString()),
    ['from before', 'from two voters'],
  );
  const { exitCode, stderr } = await cluster.talosctl('-n', left.name, 'etcd', 'status');
  assert.equal(exitCode, 0, stderr);
});
