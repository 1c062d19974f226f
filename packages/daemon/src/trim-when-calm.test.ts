import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CalmTrim } from './trim-when-calm.ts';

const mib = 1024 * 1024;
const calm = (anonymousMib: number, seconds: number) => ({
  anonymousBytes: anonymousMib * mib,
  busyShare: 0.01,
  nowMs: seconds * 1000,
});
const busy = (anonymousMib: number, seconds: number) => ({ ...calm(anonymousMib, seconds), busyShare: 0.5 });

test('CalmTrim collects when a burst is over, not while it lasts', () => {
  const trim = new CalmTrim();
  assert.deepEqual(
    [calm(60, 0), calm(70, 5), busy(200, 10), busy(180, 15), calm(180, 20)].map((one) => trim.sample(one)),
    [false, false, false, false, true],
  );
});

test('CalmTrim retries a collection that freed little, less often after many times', () => {
  const trim = new CalmTrim();
  trim.sample(calm(60, 0));
  const collections: number[] = [];
  for (let seconds = 5; seconds < 1800; seconds += 5) {
    const sample = calm(180, seconds);
    if (!trim.sample(sample)) continue;
    collections.push(seconds);
    trim.trimmed(sample, 178 * mib, 60);
  }
  const pauses = collections.slice(1).map((seconds, index) => seconds - (collections[index] ?? 0));
  assert.deepEqual(pauses, [20, ...Array(14).fill(40), 600, 600]);
});

test('CalmTrim soon allows another collection after one that freed memory', () => {
  const trim = new CalmTrim();
  trim.sample(calm(60, 0));
  assert.equal(trim.sample(calm(180, 5)), true);
  trim.trimmed(calm(180, 5), 100 * mib, 60);
  assert.deepEqual([trim.sample(calm(100, 10)), trim.sample(calm(100, 15))], [false, true]);
});

test('CalmTrim ends the long pause when another burst begins', () => {
  const trim = new CalmTrim();
  trim.sample(calm(60, 0));
  for (let seconds = 5; seconds < 700; seconds += 5) {
    const sample = calm(180, seconds);
    if (trim.sample(sample)) trim.trimmed(sample, 180 * mib, 60);
  }
  assert.deepEqual(
    [calm(180, 700), calm(250, 705), calm(250, 710), calm(250, 715)].map((one) => trim.sample(one)),
    [false, false, false, true],
  );
});

test('CalmTrim collects rarely where a collection blocks the daemon for long', () => {
  const trim = new CalmTrim();
  trim.sample(calm(60, 0));
  const collections: number[] = [];
  for (let seconds = 5; seconds < 300; seconds += 5) {
    // Each time something new is free, as after a short burst.
    const sample = calm(180 + seconds, seconds);
    if (!trim.sample(sample)) continue;
    collections.push(seconds);
    trim.trimmed(sample, 60 * mib, 1100);
  }
  assert.deepEqual(collections, [5, 60, 115, 170, 225, 280]);
});
