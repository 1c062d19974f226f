// Nodes that are rebooted with the command line come back, on every provisioner.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Cluster, Node } from './cluster.ts';
import { openCluster } from './open-cluster.ts';

const scope = new AsyncDisposableStack();
let cluster: Cluster;
before(async () => {
  cluster = scope.use(await openCluster({ controlPlanes: 1, workers: 1 }));
});
after(() => scope.disposeAsync());

const bootIdOf = async ({ name }: Node) =>
  (await cluster.talosctl('-n', name, 'read', '/proc/sys/kernel/random/boot_id')).stdout;

test('reboot returns when each node runs again with a new boot id', async () => {
  const before = await Promise.all(cluster.nodes.map(bootIdOf));
  const names = cluster.nodes.map(({ name }) => name).join();
  const { exitCode, stdout, stderr } = await cluster.talosctl(
    ...['-n', names, 'reboot', '--yes', '--timeout', '2m', '-o', 'json'],
  );
  assert.equal(exitCode, 0, stderr);
  for (const { name } of cluster.nodes) assert.ok(stderr.includes(`"${name}": post check passed`), stderr);
  assert.deepEqual(
    (JSON.parse(stdout) as { node: string; done: boolean }[]).map(({ node, done }) => [node, done]),
    cluster.nodes.map(({ name }) => [name, true]),
  );
  const after = await Promise.all(cluster.nodes.map(bootIdOf));
  assert.ok(
    after.every((id, index) => id.length === 37 && id !== before[index]),
    after.join(),
  );
});
