// Resources of real nodes, read through the gateways of the cluster.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { NodeClient } from '@nodewright/client';
import { faultFrom } from '@nodewright/fault';
import { codecsOf, pointerTo, type State } from '@nodewright/state';
import { machineConfigs, machineTypes, members, nodeKinds, services } from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';
import { eventually } from '@nodewright/testkit';
import type { Cluster, Node } from './cluster.ts';
import { openCluster } from './open-cluster.ts';

const scope = new AsyncDisposableStack();
let cluster: Cluster;
before(async () => {
  cluster = scope.use(await openCluster({ controlPlanes: 1, workers: 1 }));
});
after(() => scope.disposeAsync());

const codecs = codecsOf(nodeKinds);
const stateOf = ({ state }: NodeClient): State => createStateClient({ client: state, codecs });

test('get shows the members as each node knows them, and the type of each node', async () => {
  const { exitCode, stdout, stderr } = await cluster.talosctl('-n', 'node01,node02', 'get', 'members');
  assert.deepEqual([exitCode, stderr], [0, '']);
  const [controlPlane, worker] = cluster.nodes as [Node, Node];
  const rows = stdout
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/\s+/));
  assert.deepEqual(
    rows.map((cells) => [cells[0], cells[3], cells[6], cells.at(-1)]),
    ['node01', 'node02'].flatMap((node) => [
      [node, 'node01', 'controlplane', `["${controlPlane.address}"]`],
      [node, 'node02', 'worker', `["${worker.address}"]`],
    ]),
  );
  using client = await cluster.client();
  const types = await Promise.all(
    cluster.nodes.map(({ name }) => stateOf(client.node(name)).get(pointerTo(machineTypes, 'machine-type'))),
  );
  assert.deepEqual(
    types.map(({ spec }) => spec),
    ['controlplane', 'worker'],
  );
});

test('a watch reports when a daemon of the node dies and comes back', async () => {
  using client = await cluster.client({ roles: ['os:reader'] });
  const [controlPlane, worker] = cluster.nodes as [Node, Node];
  const seen: string[] = [];
  using watch = await stateOf(client.node(controlPlane.name)).watch(pointerTo(services, 'trustd'));
  const follow = (async () => {
    for await (const [event] of watch) seen.push(event?.kind ?? '');
  })();
  await eventually(() => seen[0] === 'created', { what: 'trustd as it is' });
  // The engine restarts a daemon within a tenth of a second, so machined may only see it before and after.
  for (let kills = 0; kills < 10 && !seen.includes('destroyed'); kills++) {
    await controlPlane.signal('trustd', 'SIGKILL');
    await eventually(() => seen.includes('destroyed'), { what: 'the end of trustd', timeoutMs: 4000 }).catch(
      () => {},
    );
  }
  assert.ok(seen.includes('destroyed'), 'the end of trustd was told');
  await eventually(() => seen.lastIndexOf('created') > 0, { what: 'trustd again' });
  watch[Symbol.dispose]();
  await follow;
  const found = await stateOf(client.node(worker.name)).list(services);
  assert.deepEqual(
    // Nodes of one container run containerd, too.
    found.map(({ metadata }) => metadata.id).filter((id) => id !== 'cri'),
    ['apid', 'machined', 'udevd-bridge'],
  );
});

test("a reader cannot read administrators' resources, on any hop", async () => {
  using reader = await cluster.client({ roles: ['os:reader'] });
  using admin = await cluster.client();
  for (const { name } of cluster.nodes) {
    const refused = await stateOf(reader.node(name))
      .get(pointerTo(machineConfigs, 'v1alpha1'))
      .then(() => undefined, faultFrom);
    assert.equal(refused?.kind, 'permission-denied');
    const { spec } = await stateOf(admin.node(name)).get(pointerTo(machineConfigs, 'v1alpha1'));
    assert.match(spec, /^version: v1alpha1$/m);
    const written = await stateOf(admin.node(name))
      .destroy(pointerTo(members, 'node01'))
      .then(() => undefined, faultFrom);
    assert.match(
      `${written?.kind}: ${written?.message}`,
      /^permission-denied: .*write access is not allowed/,
    );
  }
});
