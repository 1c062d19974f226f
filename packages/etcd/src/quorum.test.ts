import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { quorumOf, removalProblem, type VotingState } from './quorum.ts';

/** Members cp-1, cp-2, ... in the given states. */
function cluster(...states: ('up' | 'down' | 'learner')[]): VotingState[] {
  return states.map((state, index) => ({
    id: BigInt(index + 1),
    name: `cp-${index + 1}`,
    isLearner: state === 'learner',
    isAlive: state !== 'down',
  }));
}

test('quorumOf() is more than half of the voters', () => {
  assert.deepEqual([1, 2, 3, 4, 5, 7].map(quorumOf), [1, 2, 2, 3, 3, 4]);
});

test('removalProblem() allows removals that keep a quorum, and explains why others are refused', () => {
  const rows: [VotingState[], bigint, string | undefined][] = [
    [cluster('up', 'up', 'up'), 2n, undefined],
    [cluster('up', 'up', 'down'), 3n, undefined],
    [cluster('up', 'up'), 2n, undefined],
    [cluster('up', 'learner'), 2n, undefined],
    [cluster('up', 'up', 'up', 'down', 'down'), 5n, undefined],
    [cluster('up'), 4711n, undefined],
    [
      cluster('up', 'up', 'down'),
      2n,
      'removing cp-2 would leave 1 of 2 voters alive, and 2 are needed: start cp-3 or remove it first',
    ],
    [
      cluster('up', 'up', 'up', 'down', 'down'),
      1n,
      'removing cp-1 would leave 2 of 4 voters alive, and 3 are needed: start cp-4 and cp-5 or remove it first',
    ],
    [cluster('up'), 1n, 'removing cp-1 would leave no voter: it is the last one of the cluster'],
    [cluster('up', 'learner'), 1n, 'removing cp-1 would leave no voter: it is the last one of the cluster'],
    [
      cluster('up', 'down'),
      2n,
      'cannot remove cp-2 without a quorum: 1 of 2 voters alive, and 2 are needed: start cp-2, or restore the cluster from a snapshot',
    ],
    [
      cluster('up', 'down', 'down', 'learner'),
      4n,
      'cannot remove cp-4 without a quorum: 1 of 3 voters alive, and 2 are needed: start cp-2 and cp-3, or restore the cluster from a snapshot',
    ],
  ];
  for (const [members, id, problem] of rows) assert.equal(removalProblem(members, id), problem);
});

test('removalProblem() names a member that has never started by its id', () => {
  const [first, second] = cluster('up', 'up', 'down');
  const members = [first, second, { id: 0xabcn, name: '', isLearner: false, isAlive: false }].filter(
    (member) => member !== undefined,
  );
  assert.match(removalProblem(members, 1n) ?? '', /: start member 0000000000000abc or remove it first$/);
});

const clusters = fc
  .array(fc.constantFrom('up' as const, 'down' as const, 'learner' as const), { minLength: 1, maxLength: 9 })
  .map((states) => cluster(...states));
const hasQuorum = (members: readonly VotingState[]) => {
  const voters = members.filter(({ isLearner }) => !isLearner);
  return voters.length > 0 && voters.filter(({ isAlive }) => isAlive).length >= quorumOf(voters.length);
};
const without = (members: readonly VotingState[], id: bigint) => members.filter((member) => member.id !== id);

test('removalProblem() allows a removal only if the cluster has a quorum before and after it', () => {
  fc.assert(
    fc.property(clusters, fc.nat(8), (members, index) => {
      const target = members[index % members.length];
      assert.ok(target);
      const allowed = removalProblem(members, target.id) === undefined;
      assert.equal(allowed, hasQuorum(members) && hasQuorum(without(members, target.id)));
    }),
  );
});

test('removalProblem() always allows the removal of a dead member from a cluster with a quorum', () => {
  fc.assert(
    fc.property(clusters, (members) => {
      fc.pre(hasQuorum(members));
      for (const { id, isAlive } of members)
        if (!isAlive) assert.equal(removalProblem(members, id), undefined);
    }),
  );
});
