import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MemberTurns, type MemberWork } from './member-turns.ts';

const names = ['a', 'b', 'c'];

/** Runs all members, of which `a` leads, and returns what happened and how each ended. */
async function runAll(more: (name: string) => Partial<MemberWork> = () => ({})) {
  const events: string[] = [];
  const turns = new MemberTurns(names);
  const ends = names.map(async (name) => {
    try {
      await turns.run(name, {
        isLeader: async () => name === 'a',
        work: async () => {
          events.push(`${name} begins`);
          await nextTurn();
          await nextTurn();
          events.push(`${name} ends`);
        },
        ...more(name),
      });
      return 'done';
    } catch (error) {
      return (error as Error).message;
    }
  });
  return { ends: await Promise.all(ends), events };
}

const fail = async () => {
  throw new Error('no disk');
};

test('MemberTurns lets one member work at a time, the leader last', async () => {
  const { ends, events } = await runAll();
  assert.deepEqual(ends, ['done', 'done', 'done']);
  assert.deepEqual(events, ['b begins', 'b ends', 'c begins', 'c ends', 'a begins', 'a ends']);
});

test('MemberTurns does nothing when a member is not well', async () => {
  const { ends, events } = await runAll((name) => (name === 'c' ? { isLeader: fail } : {}));
  const message = 'nothing was done, because the member of c is not well';
  assert.deepEqual(ends, [message, message, 'no disk']);
  assert.deepEqual(events, []);
});

test('MemberTurns ends after the first member that fails', async () => {
  const { ends, events } = await runAll((name) => (name === 'b' ? { work: fail } : {}));
  assert.deepEqual(ends, [
    'nothing was done, because the member of c before it has failed',
    'no disk',
    'nothing was done, because the member of b before it has failed',
  ]);
  assert.deepEqual(events, []);
});
