import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeTimers } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import { leaderCheckMs } from '../domain/virtual-address.ts';
import { partFromLeader } from './part-from-leader.ts';

const settled = () => new Promise(setImmediate);

function openRig(answers: readonly (string | undefined | Error)[]) {
  const timers = new FakeTimers(0);
  const controller = new AbortController();
  const lines: string[] = [];
  let calls = 0;
  const ended = partFromLeader(
    {
      async yieldLeadership() {
        const answer = answers[calls];
        calls += 1;
        if (answer instanceof Error) throw answer;
        return answer;
      },
      timers,
      log: {
        info: (fields: { leader: string }) => lines.push(`info ${fields.leader}`),
        debug: (fields: { error: string }) => lines.push(`debug ${fields.error}`),
      } as never,
    },
    controller.signal,
  );
  return {
    lines,
    calls: () => calls,
    async check() {
      await settled();
      timers.step(timers.now() + leaderCheckMs);
      await settled();
    },
    async end() {
      controller.abort();
      await ended;
    },
  };
}

test('the owner of an address looks at once and then at intervals whether it leads etcd, until its tenure ends', async () => {
  const rig = openRig([undefined, 'node02', undefined, 'node03']);
  await settled();
  assert.deepEqual([rig.calls(), rig.lines], [1, []]);
  for (let time = 0; time < 3; time += 1) await rig.check();
  assert.deepEqual(rig.lines, ['info node02', 'info node03']);
  await rig.end();
  await rig.check();
  assert.equal(rig.calls(), 4);
});

test('an owner that cannot hand the leadership over tries again, and says each reason once', async () => {
  const alone = new Fault('unknown', 'this is the only member');
  const rig = openRig([alone, alone, new Error('no answer'), 'node02', alone]);
  for (let time = 0; time < 4; time += 1) await rig.check();
  assert.deepEqual(rig.lines, [
    'debug this is the only member',
    'debug no answer',
    'info node02',
    'debug this is the only member',
  ]);
  await rig.end();
});
