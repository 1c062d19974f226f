import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IdleWatch } from './idle-watch.ts';

/** A connection and a timer that the test fires. */
function open() {
  const events: string[] = [];
  const connection = {
    callCount: 0,
    allowCalls() {},
    drain: () => events.push('drain'),
    end() {},
    destroy: () => events.push('destroy'),
    closed: new Promise<void>(() => {}),
  };
  let fire: (() => void) | undefined;
  const watch = new IdleWatch(connection, 1000, {
    now: () => 0,
    monotonicMs: () => 0,
    after(delayMs, action) {
      assert.equal(delayMs, 1000);
      fire = action;
      return {
        [Symbol.dispose]() {
          fire = undefined;
        },
      };
    },
  });
  const pass = () => {
    const due = fire;
    fire = undefined;
    due?.();
  };
  return { connection, watch, events, pass, isWaiting: () => fire !== undefined };
}

test('IdleWatch drains a connection without calls, and closes it when the client does not', () => {
  const { events, pass, isWaiting } = open();
  pass();
  assert.deepEqual(events, ['drain']);
  pass();
  assert.deepEqual([events, isWaiting()], [['drain', 'destroy'], false]);
});

test('IdleWatch keeps a connection with an open call, or with one since the last check', () => {
  const { connection, watch, events, pass } = open();
  for (let round = 0; round < 3; round += 1) {
    watch.began();
    pass();
  }
  connection.callCount = 1;
  pass();
  pass();
  assert.deepEqual(events, []);
  connection.callCount = 0;
  pass();
  assert.deepEqual(events, ['drain']);
});

test('IdleWatch stops with its connection', () => {
  const { watch, events, pass } = open();
  watch[Symbol.dispose]();
  pass();
  assert.deepEqual(events, []);
});
