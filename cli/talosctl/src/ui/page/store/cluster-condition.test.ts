import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CheckState, NodeSummary, Reach } from '../../protocol/messages.ts';
import {
  conditionOf,
  healthStatement,
  type KnownCluster,
  nodesStatement,
  reachStatement,
  versionStatement,
} from './cluster-condition.ts';

const here: Reach = { kind: 'here' };
const away: Reach = { kind: 'away', sinceMs: 0, message: 'no route' };
const summary = (name: string, reach: Reach, rest: Partial<NodeSummary> = {}): NodeSummary => ({
  ...{ name, reach, isReady: true, version: 'v1.14.0', services: [], troubles: [], ...rest },
});
const passed: CheckState = { name: 'etcd to be healthy', state: 'passed', sinceMs: 0 };
const cluster = (nodes: readonly NodeSummary[], rest: Partial<KnownCluster> = {}): KnownCluster => ({
  names: nodes.map(({ name }) => name),
  summaries: new Map(nodes.map((each) => [each.name, each])),
  ...{ checks: [passed], healthProblem: undefined, ...rest },
});
const statements = (known: KnownCluster) =>
  [reachStatement, nodesStatement, healthStatement, versionStatement].map((of) => {
    const { value, note, condition } = of(known);
    return [value, note, condition];
  });

test('a cluster of which all is known to be well is well', () => {
  assert.deepEqual(statements(cluster([summary('a', here), summary('b', here)])), [
    ['2 of 2', 'all answer', 'good'],
    ['well', 'no service complains', 'good'],
    ['healthy', '1 check passed', 'good'],
    ['v1.14.0', 'the same everywhere', 'unknown'],
  ]);
});

test('a cluster of which no node can be reached is not well', () => {
  assert.deepEqual(statements(cluster([summary('a', away), summary('b', away)])), [
    ['0 of 2', '2 nodes away', 'bad'],
    ['not known', 'no state of 2 nodes', 'unknown'],
    ['not known', 'no node answers', 'unknown'],
    ['–', 'not known', 'unknown'],
  ]);
});

test('a cluster that has not answered yet is not well', () => {
  const nodes = cluster([summary('a', { kind: 'connecting' })], { checks: [] });
  for (const known of [nodes, { ...nodes, summaries: new Map() }]) {
    assert.deepEqual(statements(known), [
      ['0 of 1', '1 node not known yet', 'unknown'],
      ['not known', 'no state of 1 node', 'unknown'],
      ['–', 'checking …', 'unknown'],
      ['–', 'not known', 'unknown'],
    ]);
  }
});

test('checks that passed before say nothing when they can no longer be run', () => {
  const { value, note, condition } = healthStatement(
    cluster([summary('a', here)], { healthProblem: 'no route to node "a"' }),
  );
  assert.deepEqual([value, note, condition], ['not known', 'no route to node "a"', 'unknown']);
});

test('unknown is never good, in every cluster', () => {
  const reach = fc.constantFrom<Reach>(here, away, { kind: 'connecting' });
  const trouble = fc.array(fc.record({ name: fc.constant('etcd'), reason: fc.constant('down') }), {
    maxLength: 1,
  });
  const node = fc.record({ reach, isReady: fc.constantFrom(true, false, undefined), troubles: trouble });
  const check = fc.constantFrom<CheckState['state']>('passed', 'failed', 'skipped');
  const problem = fc.constantFrom(undefined, 'no route');
  fc.assert(
    fc.property(
      fc.array(node, { minLength: 1, maxLength: 5 }),
      fc.array(check, { maxLength: 3 }),
      problem,
      (nodes, states, healthProblem) => {
        const checks = states.map((state) => ({ name: 'check', state, sinceMs: 0 }));
        const summaries = nodes.map(({ reach: of, ...rest }, at) => summary(`n${at}`, of, rest));
        const known = cluster(summaries, { checks, healthProblem });
        const isAllHere = nodes.every((each) => each.reach.kind === 'here');
        const isAllWell =
          isAllHere && nodes.every(({ isReady, troubles }) => isReady === true && troubles.length === 0);
        const isHealthy =
          healthProblem === undefined &&
          states.includes('passed') &&
          !states.includes('failed') &&
          nodes.some((each) => each.reach.kind === 'here');
        assert.deepEqual(
          [reachStatement, nodesStatement, healthStatement].map((of) => of(known).condition === 'good'),
          [isAllHere, isAllWell, isHealthy],
        );
        assert.equal(
          summaries.every((each) => conditionOf(each) === 'good'),
          isAllWell,
        );
      },
    ),
    { seed: 44, numRuns: 1000 },
  );
});
