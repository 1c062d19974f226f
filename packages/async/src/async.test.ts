import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  aborted,
  anySignal,
  ChangeSignal,
  Deadline,
  exponentialDelayMs,
  LongPromise,
  pause,
  pauseBy,
  systemTimers,
  type Timers,
  unlessAborted,
  untilAborted,
} from './index.ts';

const never = new AbortController().signal;

test('pause() ends after its time, at an abort, and at once with an aborted signal', async () => {
  await pause(1, never);
  await pause(-5, never);
  const stop = new AbortController();
  const waiting = pause(60_000, stop.signal);
  stop.abort();
  await waiting;
  await pause(60_000, stop.signal);
});

test('pauseBy() uses the given timers, and disposes of its timer', async () => {
  const asked: [number, () => void][] = [];
  let disposed = 0;
  const timers: Timers = {
    now: () => 0,
    monotonicMs: () => 0,
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

test('aborted() resolves at the abort, also when the signal aborted before', async () => {
  const stop = new AbortController();
  const waiting = aborted(stop.signal);
  stop.abort();
  await waiting;
  await aborted(stop.signal);
});

test('ChangeSignal resolves all waiting promises once, and forgets those whose signal aborted', async () => {
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

test('exponentialDelayMs() begins with the first pause, never decreases, and has a limit', () => {
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

test('anySignal() aborts with the first of its signals, and ignores those that are undefined', () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const signal = anySignal(undefined, first.signal, second.signal);
  assert.equal(signal.aborted, false);
  second.abort('because');
  assert.equal(signal.reason, 'because');
});

test('unlessAborted() gives the result of the work, or rejects with the reason of the signal', async () => {
  const stop = new AbortController();
  assert.equal(await unlessAborted(Promise.resolve(7), stop.signal), 7);
  assert.equal(await unlessAborted(Promise.resolve(8), undefined), 8);
  const endless = unlessAborted(new Promise(() => {}), stop.signal);
  const reason = new Error('no longer needed');
  stop.abort(reason);
  await assert.rejects(endless, reason);
  await assert.rejects(unlessAborted(new Promise(() => {}), stop.signal), reason);
});

test('untilAborted() ends with the work, as the work fails, or at the abort', async () => {
  const stop = new AbortController();
  await untilAborted(Promise.resolve(7), stop.signal);
  await untilAborted(undefined, stop.signal);
  await assert.rejects(untilAborted(Promise.reject(new Error('no')), stop.signal), /no/);
  const endless = untilAborted(new Promise(() => {}), stop.signal);
  stop.abort();
  await endless;
  await untilAborted(new Promise(() => {}), stop.signal);
});

test('a wait that has ended leaves no listener at its signal', async () => {
  const { signal } = new AbortController();
  const changed = new ChangeSignal();
  for (let turn = 0; turn < 3; turn += 1) {
    await pause(0, signal);
    const waits = [pauseBy(systemTimers, 0, signal), changed.next(signal)];
    changed.notify();
    await pause(5, signal);
    await Promise.all(waits);
    await untilAborted(Promise.resolve(), signal);
    await unlessAborted(Promise.resolve(), signal);
  }
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('systemTimers fires once after the delay, and not after it was disposed of', async () => {
  const fired: string[] = [];
  systemTimers.after(60_000, () => fired.push('late'))[Symbol.dispose]();
  using _ = systemTimers.after(-1, () => fired.push('at once'));
  systemTimers.after(0, () => fired.push('disposed'))[Symbol.dispose]();
  await pause(20, never);
  assert.deepEqual(fired, ['at once']);
  assert.ok(Math.abs(systemTimers.now() - Date.now()) < 60_000);
});

test('LongPromise settles a wait like the first of both, and keeps nothing of a wait that ended', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const long = new LongPromise(promise);
  for (let turn = 0; turn < 3; turn += 1) assert.equal(await long.or(Promise.resolve(turn)), turn);
  await assert.rejects(long.or(Promise.reject(new Error('short'))), /short/);
  assert.equal(long.waiting, 0);
  const both = [long.or(new Promise(() => {})), long.or(new Promise(() => {}))];
  assert.equal(long.waiting, 2);
  resolve('over');
  assert.deepEqual(await Promise.all(both), ['over', 'over']);
  assert.equal(await long.or(new Promise(() => {})), 'over');
  assert.equal(long.waiting, 0);
});

test('LongPromise passes a rejection on to those who wait, before and after it', async () => {
  const { promise, reject } = Promise.withResolvers<string>();
  const long = new LongPromise(promise);
  const waiting = long.or(new Promise(() => {}));
  reject(new Error('long'));
  await assert.rejects(waiting, /long/);
  await assert.rejects(long.or(new Promise(() => {})), /long/);
});

test('Deadline aborts after its time or with another signal; isOver is true only after its time', async () => {
  using short = new Deadline(1, never);
  await aborted(short.signal);
  assert.equal(short.isOver, true);
  assert.equal((short.signal.reason as Error).name, 'TimeoutError');
  const stop = new AbortController();
  using long = new Deadline(60_000, undefined, stop.signal);
  using endless = new Deadline(Number.POSITIVE_INFINITY, stop.signal);
  // A timer of Node.js with this delay would fire at once.
  using longer = new Deadline(2 ** 31, stop.signal);
  await pause(20, never);
  assert.equal(longer.isOver, false);
  stop.abort();
  assert.deepEqual([long.signal.aborted, long.isOver], [true, false]);
  assert.deepEqual([endless.signal.aborted, endless.isOver], [true, false]);
});

test('Deadline.by() takes the time of the given timers, and disposes of its timer', () => {
  const asked: [number, () => void][] = [];
  let disposed = 0;
  const after: Timers['after'] = (delayMs, action) => {
    asked.push([delayMs, action]);
    return {
      [Symbol.dispose]() {
        disposed += 1;
      },
    };
  };
  const stop = new AbortController();
  {
    using short = Deadline.by({ after }, 60_000, never);
    using other = Deadline.by({ after }, 60_000, stop.signal);
    using endless = Deadline.by({ after }, Number.POSITIVE_INFINITY, stop.signal);
    assert.deepEqual(
      asked.map(([delayMs]) => delayMs),
      [60_000, 60_000],
    );
    asked[0]?.[1]();
    assert.deepEqual([short.isOver, (short.signal.reason as Error).name], [true, 'TimeoutError']);
    assert.deepEqual([other.signal.aborted, endless.signal.aborted], [false, false]);
    stop.abort();
    assert.deepEqual([other.signal.aborted, endless.signal.aborted, other.isOver], [true, true, false]);
  }
  assert.equal(disposed, 2);
});
