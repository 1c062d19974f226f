import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aborted, pause } from '@nodewright/async';
import { CommandLimit } from './command-limit.ts';

const never = new AbortController().signal;
const millisecond = 1_000_000n;

test('CommandLimit does not count the time of a question, and goes on after it', async () => {
  using limit = new CommandLimit(50n * millisecond, never);
  const answer = await limit.whileStopped(async () => {
    await pause(150, never);
    return 'yes';
  });
  assert.deepEqual([answer, limit.isOver], ['yes', false]);
  await aborted(limit.signal);
  assert.equal(limit.isOver, true);
});

test('CommandLimit ends a call that ignores its signal, and one that does without an answer', async () => {
  for (const call of [
    () => new Promise<string>(() => {}),
    async (signal: AbortSignal) => {
      await aborted(signal);
      return 'nothing is known';
    },
  ]) {
    using limit = new CommandLimit(10n * millisecond, never);
    await assert.rejects(limit.guard(call(limit.signal)), { kind: 'deadline-exceeded' });
  }
});

test('CommandLimit passes on what a call fails with, and an interrupt as one', async () => {
  const stop = new AbortController();
  using limit = new CommandLimit(60_000n * millisecond, stop.signal);
  await assert.rejects(limit.guard(Promise.reject(new Error('refused'))), /refused/);
  const waiting = limit.guard(new Promise(() => {}));
  stop.abort();
  await assert.rejects(waiting, { kind: 'cancelled' });
  assert.equal(limit.isOver, false);
});
