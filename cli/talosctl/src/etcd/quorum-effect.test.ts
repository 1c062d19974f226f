import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memberIdText, parseMemberId } from './member-id.ts';
import { removalEffect } from './quorum-effect.ts';

const voter = (id: bigint) => ({ id, hostname: `cp-${id}`, isLearner: false });

test('what a removal leaves is said in words', () => {
  const learner = { id: 9n, hostname: 'cp-9', isLearner: true };
  const rows: [bigint[], bigint, string][] = [
    [[1n], 1n, 'it is the last etcd voter: the data of the cluster go with it'],
    [[1n, 2n], 2n, '1 voter stays, and none of them may fail then'],
    [[1n, 2n, 3n], 2n, '2 of 3 voters stay, and none of them may fail then'],
    [[1n, 2n, 3n, 4n], 2n, '3 of 4 voters stay, of which 1 may fail then'],
    [[1n, 2n], 9n, 'it is a learner: no vote is lost'],
    [[1n, 2n], 5n, 'it is no member of etcd'],
  ];
  for (const [voters, id, text] of rows) {
    const losesVote = / stays?, /.test(text) || text.includes('last etcd voter');
    assert.deepEqual(removalEffect([...voters.map(voter), learner], id), { text, losesVote });
  }
});

test('a removal counts as the worst one where the members or the own one are not known', () => {
  for (const [members, id] of [
    [undefined, 1n],
    [[voter(1n), voter(2n)], undefined],
  ] as const) {
    assert.deepEqual(removalEffect(members, id), {
      text: 'the node could not be asked: counted as the last etcd voter',
      losesVote: true,
    });
  }
});

test('ids are 16 digits of hex, and are read without their zeros as well', () => {
  assert.equal(memberIdText(0xabcn), '0000000000000abc');
  assert.equal(parseMemberId('abc'), 0xabcn);
  assert.equal(parseMemberId('0xFFFFFFFFFFFFFFFF'), 2n ** 64n - 1n);
  for (const text of ['', 'cp-1', '10000000000000000', '-1']) assert.throws(() => parseMemberId(text), /hex/);
});
