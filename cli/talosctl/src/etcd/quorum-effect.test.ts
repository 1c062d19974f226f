import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memberIdText, parseMemberId } from './member-id.ts';
import { removalEffect } from './quorum-effect.ts';

const voter = (id: bigint) => ({ id, hostname: `cp-${id}`, isLearner: false });

test('removalEffect() describes the remaining voters', () => {
  const learner = { id: 9n, hostname: 'cp-9', isLearner: true };
  const rows: [bigint[], bigint, string][] = [
    [[1n], 1n, 'it is the last etcd voter, and the data of the cluster are lost with it'],
    [[1n, 2n], 2n, '1 voter remains, and it must not fail'],
    [[1n, 2n, 3n], 2n, '2 of 3 voters remain, and none of them may fail'],
    [[1n, 2n, 3n, 4n], 2n, '3 of 4 voters remain, of which 1 may fail'],
    [[1n, 2n], 9n, 'it is a learner: no vote is lost'],
    [[1n, 2n], 5n, 'it is not a member of etcd'],
  ];
  for (const [voters, id, text] of rows) {
    const losesVote = / remains?, /.test(text) || text.includes('last etcd voter');
    assert.deepEqual(removalEffect([...voters.map(voter), learner], id), { text, losesVote });
  }
});

test('removalEffect() assumes the worst when the members or the removed member are unknown', () => {
  for (const [members, id] of [
    [undefined, 1n],
    [[voter(1n), voter(2n)], undefined],
  ] as const) {
    assert.deepEqual(removalEffect(members, id), {
      text: 'the node did not answer: counted as the last etcd voter',
      losesVote: true,
    });
  }
});

test('member ids have 16 hexadecimal digits, and are parsed without leading zeros too', () => {
  assert.equal(memberIdText(0xabcn), '0000000000000abc');
  assert.equal(parseMemberId('abc'), 0xabcn);
  assert.equal(parseMemberId('0xFFFFFFFFFFFFFFFF'), 2n ** 64n - 1n);
  for (const text of ['', 'cp-1', '10000000000000000', '-1']) assert.throws(() => parseMemberId(text), /hex/);
});
