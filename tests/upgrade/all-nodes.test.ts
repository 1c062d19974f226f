// One command upgrades a control plane, which drives the plan itself and goes on after its own restart, and a worker. The whole scenario, with
// five nodes, is in `long/`.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { skipWithoutEtcd } from '@nodewright/etcd/testing';
import { eventually } from '@nodewright/testkit';
import type { ProcessCluster } from '../cluster/process/process-cluster.ts';
import { awaitWell } from './await-well.ts';
import { openUpgradable } from './open-upgradable.ts';

const skip = skipWithoutEtcd();
const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const long = { skip, timeout: 900_000 } as const;
const image = 'registry.test/installer:v1.14.6';
let cluster: ProcessCluster;

before(async () => {
  if (skip) return;
  const artefacts = { 'registry.test': { version: 'v1.14.6' } };
  cluster = await openUpgradable(scope, { controlPlanes: 1, workers: 1 }, artefacts);
});

test('a worker has no roll-outs, and says where to ask', { skip }, async () => {
  const { exitCode, stderr } = await cluster.talosctl('-n', 'node02', 'upgrade', 'status');
  assert.equal(exitCode, 1);
  assert.match(
    stderr,
    /this node is no control plane, and has no roll-outs: ask a control plane, such as node01/,
  );
});

test('a control plane that upgrades itself goes on with the plan, and the worker follows', long, async () => {
  await awaitWell(cluster, image);
  const begun = await cluster.talosctl('upgrade', '--all', '--image', image, '--yes', '--no-wait');
  assert.equal(begun.exitCode, 0, begun.stderr);
  assert.match(begun.stderr, /the roll-out goes on in the cluster: look at it again with/);
  let text = '';
  await eventually(
    async () => {
      const { stdout, stderr } = await cluster.talosctl('upgrade', 'status');
      text = stdout + stderr;
      return / acting /.test(text);
    },
    { what: 'the first node to act', timeoutMs: 120_000, explain: () => text },
  );
  // The driver has looked at all nodes by now.
  const single = await cluster.talosctl('-n', 'node02', 'upgrade', '-i', image, '--drain=false', '--yes');
  assert.match(single.stderr, /the roll-out [0-9a-f]{32} upgrades all nodes: .*talosctl upgrade abort/);
  const watched = await cluster.talosctl('upgrade', 'status', '--watch', '-o', 'json');
  assert.equal(watched.exitCode, 0, watched.stderr);
  const last = JSON.parse(watched.stdout.trimEnd().split('\n').at(-1) ?? '');
  assert.equal(last.phase, 'done', JSON.stringify(last));
  const { stdout } = await cluster.talosctl('-n', 'node01,node02', 'version');
  assert.equal(stdout.match(/Tag: +v1\.14\.6/g)?.length, 2, stdout);
});
