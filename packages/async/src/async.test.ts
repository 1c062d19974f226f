import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { aborted, ChangeSignal, exponentialDelayMs, pause, pauseBy, type Timers } from './index.ts';

const never = new AbortController().signal;

test('pause() ends with its time, at an abort, and at once where it is aborted already', async () => {
  await pause(1, never);
  await pause(-5, never);
  const stop = new AbortController();
  const waiting = pause(60_000, stop.signal);
  stop.abort();
  await waiting;
  await pause(60_000, stop.signal);
});

test('pauseBy() takes its time from the timers that it is given, and takes its timer back', async () => {
  const asked: [number, () => void][] = [];
  let disposed = 0;
  const timers: Timers = {
    now: () => 0,
    after(ms, action) {
      asked.push([ms, action]);
      return {
        [Symbol.dispose]() {
          disposed += 1;
        },
      };
    },
  };
  const stop = new AbortController();
  const first = pauseBy(timers, 7, stop.signal);
  const second = pauseBy(timers, 8, stop.signal);
  assert.deepEqual(
    asked.map(([ms]) => ms),
    [7, 8],
  );
  asked[0]?.[1]();
  await first;
  stop.abort();
  await second;
  assert.equal(disposed, 2);
  await pauseBy(timers, 9, stop.signal);
  assert.equal(asked.length, 2);
});

test('aborted() resolves at the abort, before or after it was asked', async () => {
  const stop = new AbortController();
  const waiting = aborted(stop.signal);
  stop.abort();
  await waiting;
  await aborted(stop.signal);
});

test('ChangeSignal wakes everybody who waits, once, and forgets those who went away', async () => {
  const changed = new ChangeSignal();
  const stop = new AbortController();
  const both = Promise.all([changed.next(never), changed.next(stop.signal)]);
  changed.notify();
  await both;
  const gone = changed.next(stop.signal);
  stop.abort();
  await gone;
  await changed.next(stop.signal);
});

test('exponentialDelayMs() begins with the first pause, never shrinks, and stops at the longest', () => {
  const delay = { firstMs: 500, factor: 1.5, longestMs: 60_000 };
  assert.deepEqual(
    [1, 2, 3, 100].map((failures) => exponentialDelayMs(delay, failures)),
    [500, 750, 1125, 60_000],
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), (failures) => {
      const [now, next] = [failures, failures + 1].map((count) => exponentialDelayMs(delay, count));
      assert.ok(Number(now) <= Number(next) && Number(next) <= delay.longestMs);
    }),
  );
});
