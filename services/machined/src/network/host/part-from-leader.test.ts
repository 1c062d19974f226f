import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeTimers } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import { leaderCheckMs, restAfterHandoverMs } from '../domain/virtual-address.ts';
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
    async pass(ms: number) {
      await settled();
      const untilMs = timers.now() + ms;
      while (timers.step(untilMs)) await settled();
    },
    async end() {
      controller.abort();
      await ended;
    },
  };
}

test('the owner of an address looks at once and then at intervals whether it leads etcd, until its tenure ends', async () => {
  const rig = openRig([undefined, undefined, 'node02', 'node03']);
  await settled();
  assert.deepEqual([rig.calls(), rig.lines], [1, []]);
  await rig.pass(2 * leaderCheckMs);
  assert.deepEqual([rig.calls(), rig.lines], [3, ['info node02']]);
  await rig.end();
  await rig.pass(2 * restAfterHandoverMs);
  assert.equal(rig.calls(), 3);
});

test('after it has handed the leadership over, it rests: another owner may hand it back', async () => {
  const rig = openRig(['node02', 'node02', 'node02']);
  await rig.pass(restAfterHandoverMs - 1);
  assert.equal(rig.calls(), 1);
  await rig.pass(1);
  assert.equal(rig.calls(), 2);
  await rig.end();
});

test('an owner that cannot hand the leadership over tries again, and says each reason once', async () => {
  const alone = new Fault('unknown', 'this is the only member');
  const rig = openRig([alone, alone, new Error('no answer'), undefined, alone]);
  await rig.pass(4 * leaderCheckMs);
  assert.deepEqual(rig.lines, [
    'debug this is the only member',
    'debug no answer',
    'debug this is the only member',
  ]);
  await rig.end();
});
