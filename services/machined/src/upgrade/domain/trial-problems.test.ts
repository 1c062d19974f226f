import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outsideNeedsOf, trialProblems } from './trial-problems.ts';

const statusOf = (conditions: Readonly<Record<string, string>>) => ({
  status: {
    ready: false,
    unmetConditions: Object.entries(conditions).map(([name, reason]) => ({ name, reason })),
  },
});

test('trialProblems() tells what others have to give from the faults of the node', () => {
  const rows: [Readonly<Record<string, string>>, string[]][] = [
    [{ time: 'time is not synced' }, ['time servers']],
    [{ services: 'apid waits for its certificate, cri not running' }, ['other nodes', 'node']],
    [
      { services: 'etcd not healthy', staticPods: 'kube-system/kube-apiserver-a not ready' },
      ['quorum', 'quorum'],
    ],
    [{ services: 'etcd not running' }, ['node']],
    [{ staticPods: 'kube-system/kube-apiserver-a not ready' }, ['node']],
    [{ nodeReady: 'node "a" status is not available yet' }, ['other nodes']],
    [
      { services: 'etcd not healthy', nodeReady: 'node "a" status is not available yet' },
      ['quorum', 'quorum'],
    ],
    [{ nodeReady: 'node "a" is not ready' }, ['node']],
    [{ network: 'waiting on: address', volumes: 'STATE: no disk' }, ['node', 'node']],
    [{}, []],
  ];
  for (const [conditions, causes] of rows)
    assert.deepEqual(
      trialProblems(statusOf(conditions)).map(({ cause }) => cause),
      causes,
      JSON.stringify(conditions),
    );
});

test('outsideNeedsOf() names each need once, and none of an unknown status', () => {
  const status = statusOf({
    time: 'time is not synced',
    services: 'etcd not healthy, cri failed',
    staticPods: 'x not ready',
  });
  assert.deepEqual(outsideNeedsOf(status), ['time servers', 'quorum']);
  assert.deepEqual(outsideNeedsOf(undefined), []);
});
