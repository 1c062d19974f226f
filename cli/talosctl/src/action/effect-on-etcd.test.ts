import assert from 'node:assert/strict';
import { test } from 'node:test';
import { votersText } from './effect-on-etcd.ts';

const voters = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: BigInt(index + 1), isLearner: false }));

test('votersText() says how many votes go and whether etcd works without them', () => {
  const learner = { id: 9n, isLearner: true };
  const rows = [
    [voters(3), [], undefined],
    [[...voters(1), learner], [9n], undefined],
    [voters(3), [1n], '1 is an etcd voter, 2 of 3 stay'],
    [voters(3), [1n, 2n], '2 are etcd voters, 1 of 3 stays, too few for etcd to work (it needs 2)'],
    [voters(5), [1n, 2n], '2 are etcd voters, 3 of 5 stay'],
    [[...voters(1), learner], [1n], '1 is the last etcd voter'],
    [voters(3), [1n, 2n, 3n], '3 are all the etcd voters'],
  ] as const;
  for (const [members, leaving, text] of rows)
    assert.equal(votersText(members, new Set(leaving), false), text);
  // Members that leave are not counted any more.
  assert.equal(votersText(voters(3), new Set([1n, 2n]), true), '2 are etcd voters, 1 of 3 stays');
  assert.equal(votersText(voters(1), new Set([1n]), true), '1 is the last etcd voter');
});
