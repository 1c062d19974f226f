import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClusterNode, clusterFacts, clusterNodes, type NodeReport } from './cluster-nodes.ts';
import { isPlannableImage, rolloutAction, systemOfAction } from './rollout-action.ts';

const node = (name: string, role: ClusterNode['role'] = 'control-plane'): ClusterNode => ({
  ...{ name, role, address: '10.0.0.1' },
});
const well: NodeReport = { role: undefined, action: { kind: 'not-begun' }, illness: undefined };
const healthy = { common: undefined, byName: new Map() };

const reasonOf = (facts: ReturnType<typeof clusterFacts>, name: string) => {
  const wellness = facts.get(name)?.wellness;
  return wellness?.isWell === false ? wellness.reason : undefined;
};

test('clusterNodes() gives each member a role and its preferred address, sorted by name', () => {
  assert.deepEqual(
    clusterNodes([
      { hostname: 'Node02', machineType: 'worker', addresses: [] },
      { hostname: 'node01', machineType: 'init', addresses: ['10.0.0.1', '10.0.0.2'] },
    ]),
    [node('node01'), { name: 'node02', role: 'worker', address: undefined }],
  );
});

test('a node is well when it says so and its member of etcd is healthy', () => {
  const nodes = [node('node01'), node('node02'), node('node03', 'worker')];
  const reports = new Map(nodes.map(({ name }) => [name, well]));
  const byName = new Map([['node02', 'connect ECONNREFUSED']]);
  const facts = clusterFacts(nodes, reports, { common: undefined, byName });
  assert.equal(reasonOf(facts, 'node01'), undefined);
  assert.equal(reasonOf(facts, 'node02'), 'its member of etcd is not healthy: connect ECONNREFUSED');
  assert.equal(reasonOf(facts, 'node03'), undefined);
});

test('etcd that cannot miss a member, or does not answer, keeps control planes', () => {
  const nodes = [node('node01'), node('node02', 'worker')];
  const reports = new Map(nodes.map(({ name }) => [name, well]));
  const two = clusterFacts(nodes, reports, { common: 'etcd member count(2)', byName: new Map() });
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
