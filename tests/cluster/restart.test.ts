// Daemons that are killed come back.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import type { Cluster, Daemon, Node } from './cluster.ts';
import { openCluster } from './open-cluster.ts';

const scope = new AsyncDisposableStack();
let cluster: Cluster;
before(async () => {
  cluster = scope.use(await openCluster({ controlPlanes: 1, workers: 1 }));
});
after(() => scope.disposeAsync());

// In a stack of containers udevd-bridge, which uses no network, stays.
const daemonsOf = ({ type }: Node): Daemon[] =>
  type === 'controlplane' ? ['machined', 'apid', 'trustd'] : ['machined', 'apid'];

test('after machined is killed, it and its daemons run again, on both types of nodes', async () => {
  using client = await cluster.client();
  for (const node of cluster.nodes) {
    const daemons = daemonsOf(node);
    const before = await Promise.all(daemons.map((daemon) => node.instanceOf(daemon)));
    assert.ok(before.every((instance) => instance !== undefined));
    await node.signal('machined', 'SIGKILL');
    const isNew = async (daemon: Daemon) => {
      const instance = await node.instanceOf(daemon);
      return instance !== undefined && !before.includes(instance);
    };
    // A daemon that could not start is retried after five seconds, more than once on a busy machine.
    for (const daemon of daemons)
      await eventually(() => isNew(daemon), { what: `new ${daemon} on ${node.name}`, timeoutMs: 40_000 });
    const answers = async () => (await client.node(node.name).machine.version({})).messages.length === 1;
    await eventually(answers, { what: `answer of ${node.name}` });
  }
});
