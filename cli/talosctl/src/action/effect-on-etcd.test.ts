import assert from 'node:assert/strict';
import { test } from 'node:test';
import { effectOnEtcd, votersText } from './effect-on-etcd.ts';

const voters = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: BigInt(index + 1), isLearner: false }));

test('votersText() counts the lost voters and the remaining ones, and reports a lost quorum', () => {
  const learner = { id: 9n, isLearner: true };
  const rows = [
    [voters(3), [], undefined],
    [[...voters(1), learner], [9n], undefined],
    [voters(3), [1n], 'this takes away 1 etcd voter, 2 of 3 remain'],
    [
      voters(3),
      [1n, 2n],
      'this takes away 2 etcd voters, 1 of 3 remains, too few for etcd to work (it needs 2)',
    ],
    [voters(5), [1n, 2n], 'this takes away 2 etcd voters, 3 of 5 remain'],
    [[...voters(1), learner], [1n], 'this takes away the last etcd voter'],
    [voters(3), [1n, 2n, 3n], 'this takes away all 3 etcd voters'],
  ] as const;
  for (const [members, leaving, text] of rows)
    assert.equal(votersText(members, new Set(leaving), false), text);
  // Members that leave etcd first do not count towards the quorum.
  assert.equal(
    votersText(voters(3), new Set([1n, 2n]), true),
    'this takes away 2 etcd voters, 1 of 3 remains',
  );
  assert.equal(votersText(voters(1), new Set([1n]), true), 'this takes away the last etcd voter');
});

test('effectOnEtcd() counts an unreachable node as a voter, and reports that', () => {
  const members = voters(3);
  const rows = [
    [
      { members, leaving: new Set([1n]), unreachable: [] },
      ['this takes away 1 etcd voter, 2 of 3 remain'],
      true,
    ],
    [{ members, leaving: new Set([7n]), unreachable: [] }, [], false],
    [{ members: undefined, leaving: new Set<bigint>(), unreachable: [] }, [], false],
    [
      { members, leaving: new Set([1n]), unreachable: ['node02'] },
      [
        'node02 did not answer: counted as an etcd voter',
        'this takes away 2 etcd voters, 1 of 3 remains, too few for etcd to work (it needs 2)',
      ],
      true,
    ],
    [
      { members: voters(1), leaving: new Set<bigint>(), unreachable: ['a', 'b'] },
      ['a, b did not answer: counted as etcd voters', 'this takes away the last etcd voter'],
      true,
    ],
    [
      { members: undefined, leaving: new Set<bigint>(), unreachable: ['node01'] },
      [
        'node01 did not answer: counted as an etcd voter',
        'this may take away every etcd voter, and with them the data of the cluster',
      ],
      true,
    ],
  ] as const;
  for (const [answers, lines, losesVote] of rows) {
    assert.deepEqual(effectOnEtcd(answers, false), { lines, losesVote });
  }
});
