import assert from 'node:assert/strict';
import { test } from 'node:test';
import { effectOnEtcd, votersText } from './effect-on-etcd.ts';

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

test('effectOnEtcd() counts a node that could not be asked as a voter, and says so', () => {
  const members = voters(3);
  const rows = [
    [{ members, leaving: new Set([1n]), silent: [] }, ['1 is an etcd voter, 2 of 3 stay'], true],
    [{ members, leaving: new Set([7n]), silent: [] }, [], false],
    [{ members: undefined, leaving: new Set<bigint>(), silent: [] }, [], false],
    [
      { members, leaving: new Set([1n]), silent: ['node02'] },
      [
        'node02 could not be asked: counted as an etcd voter',
        '2 are etcd voters, 1 of 3 stays, too few for etcd to work (it needs 2)',
      ],
      true,
    ],
    [
      { members: voters(1), leaving: new Set<bigint>(), silent: ['a', 'b'] },
      ['a, b could not be asked: counted as etcd voters', '1 is the last etcd voter'],
      true,
    ],
    [
      { members: undefined, leaving: new Set<bigint>(), silent: ['node01'] },
      [
        'node01 could not be asked: counted as an etcd voter',
        'no voter of etcd may be left, and the data of the cluster go with it',
      ],
      true,
    ],
  ] as const;
  for (const [answers, lines, losesVote] of rows) {
    assert.deepEqual(effectOnEtcd(answers, false), { lines, losesVote });
  }
});
