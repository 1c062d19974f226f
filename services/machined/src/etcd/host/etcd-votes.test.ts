import assert from 'node:assert/strict';
import { test } from 'node:test';
import { votingStates } from './etcd-votes.ts';

type Access = Parameters<typeof votingStates>[0];
type Members = Parameters<typeof votingStates>[1];

test('votingStates() counts a learner that knows no leader yet as alive, and a voter that others have lost as not', async () => {
  const leaders: Record<string, bigint> = { '10.5.0.2:2379': 1n, '10.5.0.3:2379': 0n, '10.5.0.4:2379': 0n };
  const access = {
    own: async () => [],
    others: async () => [],
    openAt: async ([endpoint = '']: readonly string[]) => ({
      status: async () => ({ memberId: BigInt(endpoint.charAt(7)) - 1n, leader: leaders[endpoint] }),
      async [Symbol.asyncDispose]() {},
    }),
  } as unknown as Access;
  const members = [1, 2, 3].map((id) => ({
    ...{ id: BigInt(id), name: `node0${id}`, isLearner: id === 3, peerUrls: [] },
    clientUrls: [`https://10.5.0.${id + 1}:2379`],
  })) as unknown as Members;
  const states = await votingStates(access, members, new AbortController().signal);
  assert.deepEqual(
    states.map(({ name, isAlive }) => [name, isAlive]),
    [
      ['node01', true],
      ['node02', false],
      ['node03', true],
    ],
  );
});
