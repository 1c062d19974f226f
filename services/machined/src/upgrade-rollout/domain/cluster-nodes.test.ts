import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClusterNode, clusterFacts, clusterNodes, type NodeReport } from './cluster-nodes.ts';
import { isPlannableImage, rolloutAction, systemOfAction } from './rollout-action.ts';

const node = (name: string, role: ClusterNode['role'] = 'control-plane'): ClusterNode => ({
  ...{ name, role, address: '10.0.0.1' },
});
const well: NodeReport = {
  role: undefined,
  action: { kind: 'not-begun' },
  illness: undefined,
  lacks: undefined,
};
const healthy = { common: undefined, byName: new Map(), names: [] };

const reasonOf = (facts: ReturnType<typeof clusterFacts>, name: string) => {
  const wellness = facts.get(name)?.wellness;
  return wellness?.isWell === false ? wellness.reason : undefined;
};

test('clusterNodes() gives each member a role and its preferred address, sorted by name', () => {
  assert.deepEqual(
    clusterNodes([
      { nodeId: 'b', hostname: 'Node02', machineType: 'worker', addresses: [] },
      { nodeId: 'a', hostname: 'node01', machineType: 'init', addresses: ['10.0.0.1', '10.0.0.2'] },
    ]),
    [node('node01'), { name: 'node02', role: 'worker', address: undefined }],
  );
});

test('clusterNodes() has control planes that are down, and those that the members do not show yet, once each', () => {
  const listed = (nodeId: string, hostname: string) => ({
    ...{ nodeId, hostname, machineType: 'controlplane' as const, addresses: ['10.0.0.1'] },
  });
  assert.deepEqual(
    clusterNodes(
      [listed('a', 'node01')],
      // The first was renamed, the second was installed again, and the last one is both live and kept.
      [listed('a', 'before'), listed('z', 'Node01'), listed('c', 'node03'), listed('c', 'node03')],
    ),
    [node('node01'), node('node03')],
  );
});

test('a member of etcd that belongs to no known node keeps all control planes, whether it is healthy or not', () => {
  const nodes = [node('node01'), node('Node02.example.test'.toLowerCase()), node('node03', 'worker')];
  const reports = new Map(nodes.map(({ name }) => [name, well]));
  const names = ['node01', 'Node02', 'node09'];
  const failed = clusterFacts(nodes, reports, {
    ...{ common: undefined, names, byName: new Map([['node09', 'no answer']]) },
  });
  for (const name of ['node01', 'node02.example.test'])
    assert.equal(reasonOf(failed, name), 'etcd member "node09" is not healthy: no answer');
  assert.equal(reasonOf(failed, 'node03'), undefined);
  const unknown = clusterFacts(nodes, reports, { ...healthy, names });
  assert.equal(reasonOf(unknown, 'node01'), 'etcd member "node09" belongs to no known node');
  // A worker that has the name of a member is not its node.
  const asWorker = clusterFacts([...nodes, node('node09', 'worker')], reports, { ...healthy, names });
  assert.equal(reasonOf(asWorker, 'node01'), 'etcd member "node09" belongs to no known node');
});

test('a node is well when it says so and its member of etcd is healthy', () => {
  const nodes = [node('node01'), node('node02'), node('node03', 'worker')];
  const reports = new Map(nodes.map(({ name }) => [name, well]));
  const byName = new Map([['node02', 'connect ECONNREFUSED']]);
  const facts = clusterFacts(nodes, reports, { common: undefined, byName, names: ['node01', 'node02'] });
  assert.equal(reasonOf(facts, 'node01'), undefined);
  assert.equal(reasonOf(facts, 'node02'), 'its member of etcd is not healthy: connect ECONNREFUSED');
  assert.equal(reasonOf(facts, 'node03'), undefined);
});

test('etcd that cannot miss a member, or does not answer, keeps control planes', () => {
  const nodes = [node('node01'), node('node02', 'worker')];
  const reports = new Map(nodes.map(({ name }) => [name, well]));
  const two = clusterFacts(nodes, reports, { ...healthy, common: 'etcd member count(2)' });
  assert.equal(reasonOf(two, 'node01'), 'etcd member count(2)');
  assert.equal(reasonOf(two, 'node02'), undefined);
  assert.match(reasonOf(clusterFacts(nodes, reports, 'no leader'), 'node01') ?? '', /no leader/);
});

test('a node that does not answer, says another role, or shares its name is not well', () => {
  const nodes = [node('node01'), node('node02'), node('node03', 'worker'), node('node03', 'worker')];
  const reports = new Map<string, NodeReport | string>([
    ['node02', { ...well, role: 'worker' }],
    ['node03', well],
  ]);
  const facts = clusterFacts(nodes, reports, healthy);
  assert.equal(reasonOf(facts, 'node01'), 'does not answer');
  assert.equal(reasonOf(facts, 'node02'), 'it says that it is a worker');
  assert.equal(reasonOf(facts, 'node03'), 'several nodes have this name');
});

test('the action of a plan names the system, and nothing else does', () => {
  for (const allowsDowngrade of [false, true])
    for (const dropsExtensions of [false, true]) {
      const wanted = { image: 'registry.test/installer@sha256:1', allowsDowngrade, dropsExtensions };
      assert.deepEqual(systemOfAction(rolloutAction(wanted)), wanted);
    }
  for (const text of ['', 'upgrade to ', 'upgrade to a b', 'upgrade to a, and more', 'restart'])
    assert.equal(systemOfAction(text), undefined, text);
  for (const image of ['', 'a b', 'a,b', 'a\u0007', 'a\u2028b', 'a'.repeat(2001)])
    assert.equal(isPlannableImage(image), false, JSON.stringify(image));
});
