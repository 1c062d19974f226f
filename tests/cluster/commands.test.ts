// The commands that a user runs first on a new cluster, with real daemons.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildInfo } from '@nodewright/contract';
import type { Cluster } from './cluster.ts';
import { openCluster } from './open-cluster.ts';

const scope = new AsyncDisposableStack();
let cluster: Cluster;
before(async () => {
  cluster = scope.use(await openCluster({ controlPlanes: 3, workers: 1 }));
});
after(() => scope.disposeAsync());

/** The rows below the header as sorted lists of cells. */
function rowsOf(table: string): string[][] {
  const [, ...lines] = table.trimEnd().split('\n');
  return lines.map((line) => line.split(/\s{2,}/)).toSorted();
}

const names = () => cluster.nodes.map(({ name }) => name);

test('version returns a row for each of the four nodes', async () => {
  const { exitCode, stdout, stderr } = await cluster.talosctl(
    '-n',
    names().join(','),
    'version',
    '-o',
    'json',
  );
  assert.deepEqual([exitCode, stderr], [0, '']);
  const tags = stdout.matchAll(/"tag": "([^"]+)"/g);
  assert.ok([...tags].length >= 4 && stdout.includes(buildInfo.tag), stdout);
});

test('completion of -n offers the names of the nodes, and continues a list', async () => {
  const { stdout } = await cluster.talosctl('__complete', 'memory', '-n', 'node01,no');
  assert.deepEqual(stdout.trimEnd().split('\n'), ['node01,node02', 'node01,node03', 'node01,node04']);
});

test('memory prints one row per node, in the columns that users know', async () => {
  const { exitCode, stdout, stderr } = await cluster.talosctl(
    '-n',
    'node01',
    '-n',
    'node02',
    '-n',
    'node03',
    'memory',
  );
  assert.deepEqual([exitCode, stderr], [0, '']);
  assert.match(stdout, /^NODE +TOTAL +USED +FREE +SHARED +BUFFERS +CACHE +AVAILABLE\n/);
  const rows = rowsOf(stdout);
  assert.deepEqual(
    rows.map(([node]) => node),
    ['node01', 'node02', 'node03'],
  );
  assert.ok(
    rows.every(([, ...numbers]) => numbers.length === 7 && numbers.every((text) => /^\d+$/.test(text))),
  );
});

test('-n a,b means the same as -n a -n b', async () => {
  const { exitCode, stdout } = await cluster.talosctl('-n', 'node01,node02', 'memory');
  assert.deepEqual([exitCode, rowsOf(stdout).map(([node]) => node)], [0, ['node01', 'node02']]);
});

test('without -n, the first endpoint answers', async () => {
  const { exitCode, stdout } = await cluster.talosctl('memory');
  assert.deepEqual(
    [exitCode, rowsOf(stdout).map(([node]) => node)],
    [0, [cluster.controlPlanes[0]?.address]],
  );
});

test('without -n, the nodes in the context answer when it has some', async () => {
  await cluster.talosctl('config', 'node', 'node02', 'node04');
  const { stdout } = await cluster.talosctl('memory');
  await cluster.talosctl('config', 'node');
  assert.deepEqual(
    rowsOf(stdout).map(([node]) => node),
    ['node02', 'node04'],
  );
});

test('nodes can also be called by their addresses', async () => {
  const addresses = cluster.nodes.map(({ address }) => address);
  const { exitCode, stdout } = await cluster.talosctl('-n', addresses.join(','), 'memory');
  assert.deepEqual([exitCode, rowsOf(stdout).map(([node]) => node)], [0, addresses.toSorted()]);
});

test('each control plane forwards calls to every node, including the worker', async () => {
  for (const { address } of cluster.controlPlanes) {
    const { exitCode, stdout, stderr } = await cluster.talosctl(
      '-e',
      address,
      '-n',
      names().join(','),
      'memory',
    );
    assert.deepEqual([exitCode, stderr, rowsOf(stdout).map(([node]) => node)], [0, '', names()]);
  }
});

test('services of control planes and workers run', async () => {
  const { exitCode, stdout } = await cluster.talosctl('-n', 'node01,node04', 'service');
  assert.equal(exitCode, 0);
  const all = rowsOf(stdout).map(([node, service, state]) => [node, service, state]);
  // Nodes of one container run containerd; others use the runtime of their host, or none.
  const rows = all.filter(([, service]) => service !== 'cri');
  // Not every cluster of the tests has an etcd. When it has one, its control planes run it.
  const etcd = rows.filter(([, service]) => service === 'etcd');
  assert.ok(etcd.length === 0 || String(etcd) === 'node01,etcd,Running', String(etcd));
  assert.deepEqual(
    rows.filter((row) => !etcd.includes(row)),
    [
      ['node01', 'apid', 'Running'],
      ['node01', 'machined', 'Running'],
      ['node01', 'trustd', 'Running'],
      ['node01', 'udevd-bridge', 'Running'],
      ['node04', 'apid', 'Running'],
      ['node04', 'machined', 'Running'],
      ['node04', 'udevd-bridge', 'Running'],
    ],
  );
});

test('logs, mounts, processes and time answer on every node', async () => {
  const commands = [['logs', 'apid'], ['mounts'], ['processes'], ['time']];
  for (const words of commands) {
    const { exitCode, stdout, stderr } = await cluster.talosctl('-n', names().join(','), ...words);
    assert.equal(exitCode, 0, stderr);
    for (const name of names()) assert.ok(stdout.includes(name), `${words[0]}: ${name} is missing`);
  }
});

test('a node that does not exist gives an error of its own, and the other rows are printed', async () => {
  const { exitCode, stdout, stderr } = await cluster.talosctl('-n', 'node01,nowhere', 'memory');
  assert.deepEqual([exitCode, rowsOf(stdout).map(([node]) => node)], [1, ['node01']]);
  assert.match(stderr, /nowhere/);
});
