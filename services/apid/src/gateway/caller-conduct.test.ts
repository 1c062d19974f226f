import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallerConduct } from './caller-conduct.ts';

const rate = (burst: number) => ({ burst, perSecond: 1 });
const limits = {
  cancels: rate(3),
  refusals: rate(2),
  lines: rate(2),
  pauseMs: 5000,
  longestPauseMs: 15_000,
  rememberedIdentities: 3,
};
const open = () => new CallerConduct(limits);
const results = (count: number, act: () => unknown) => Array.from({ length: count }, act);

test('CallerConduct refuses calls, but not connections, after too many cancels', () => {
  const conduct = open();
  assert.deepEqual(
    results(4, () => conduct.cancelled('a', 0)),
    [true, true, true, false],
  );
  assert.equal(
    conduct.callRefusal('a', 1),
    'too many cancelled calls of this caller: the limit is 3 at once and 1 per second, try again in 5s',
  );
  assert.deepEqual(
    [conduct.connectionRefusal('a', 1), conduct.callRefusal('b', 1), conduct.callRefusal('a', 5000)],
    [undefined, undefined, undefined],
  );
});

test('CallerConduct refuses connections after too many refused calls', () => {
  const conduct = open();
  results(4, () => conduct.cancelled('a', 0));
  assert.deepEqual(
    results(3, () => conduct.refused('a', 10)),
    [true, true, false],
  );
  const text =
    'too many refused calls of this caller: the limit is 2 at once and 1 per second, try again in 5s';
  assert.deepEqual([conduct.connectionRefusal('a', 10), conduct.callRefusal('a', 10)], [text, text]);
  assert.equal(conduct.connectionRefusal('a', 5000), undefined);
});

test('CallerConduct still refuses connections when the remaining open calls are cancelled', () => {
  const conduct = open();
  results(3, () => conduct.refused('a', 0));
  results(10, () => conduct.cancelled('a', 10));
  assert.match(conduct.connectionRefusal('a', 20) ?? '', /^too many refused calls/);
});

test('CallerConduct doubles the pause for repeated excess, up to a maximum', () => {
  const conduct = open();
  let nowMs = 0;
  for (const seconds of [5, 10, 15, 15]) {
    results(20, () => conduct.refused('a', nowMs));
    assert.match(conduct.callRefusal('a', nowMs) ?? '', new RegExp(`try again in ${seconds}s$`));
    nowMs += seconds * 1000;
    assert.equal(conduct.callRefusal('a', nowMs), undefined);
  }
  nowMs += limits.longestPauseMs;
  results(20, () => conduct.refused('a', nowMs));
  assert.match(conduct.callRefusal('a', nowMs) ?? '', /try again in 5s$/);
});

test('CallerConduct counts the log lines that it omits', () => {
  const conduct = open();
  assert.deepEqual(
    results(5, () => conduct.takeLine('a', 0)),
    [0, 0, undefined, undefined, undefined],
  );
  assert.deepEqual([conduct.takeLine('b', 0), conduct.takeLine('a', 1000)], [0, 3]);
});

test('CallerConduct remembers a paused identity however many others follow', () => {
  const conduct = open();
  results(4, () => conduct.cancelled('a', 0));
  for (let count = 0; count < 20; count += 1) conduct.cancelled(`b${count}`, count);
  assert.match(conduct.callRefusal('a', 20) ?? '', /^too many cancelled calls/);
});
