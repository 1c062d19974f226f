import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLimited } from './limited-reader.ts';
import type { NativeCalls } from './native-calls.ts';

/** A descriptor that always has a message, and a clock of the test. */
function openRig() {
  const errors: unknown[] = [];
  const paused: (() => void)[] = [];
  const state = { nowMs: 0, reads: 0, onReadable: undefined as (() => void) | undefined };
  const broken = { watch: undefined as Error | undefined, read: undefined as Error | undefined };
  const calls: Pick<NativeCalls, 'watchReadable'> = {
    watchReadable(_, onReadable) {
      if (broken.watch !== undefined) throw broken.watch;
      state.onReadable = onReadable;
      return {
        [Symbol.dispose]: () => {
          state.onReadable = undefined;
        },
      };
    },
  };
  const open = () =>
    readLimited(calls as NativeCalls, {
      ...{ descriptor: 7, mostASecond: 10, mostATurn: 4 },
      timers: {
        monotonicMs: () => state.nowMs,
        after(_, action) {
          paused.push(action);
          return { [Symbol.dispose]: () => void paused.splice(0) };
        },
      },
      read() {
        if (broken.read !== undefined) throw broken.read;
        state.reads += 1;
        return true;
      },
      onError: (error) => errors.push(error),
    });
  return { state, broken, errors, paused, open };
}

test('readLimited() reads so many messages in a turn and in a second, and goes on in the next one', () => {
  const { state, paused, open } = openRig();
  const reader = open();
  const counts = [];
  for (let turn = 0; turn < 4; turn += 1) {
    state.onReadable?.();
    counts.push(state.reads);
  }
  assert.deepEqual([counts, paused.length, state.onReadable], [[4, 8, 10, 10], 1, undefined]);
  state.nowMs = 1000;
  paused.pop()?.();
  state.onReadable?.();
  assert.equal(state.reads, 14);
  reader[Symbol.dispose]();
  assert.equal(state.onReadable, undefined);
});

test('readLimited() reports a failure also when it goes on after a pause', () => {
  const { state, broken, errors, paused, open } = openRig();
  using _reader = open();
  for (let turn = 0; turn < 3; turn += 1) state.onReadable?.();
  broken.watch = new Error('no descriptor');
  paused.pop()?.();
  assert.match(String(errors), /no descriptor/);
});
