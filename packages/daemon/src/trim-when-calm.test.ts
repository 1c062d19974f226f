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

/** The seconds at which samples of 180 MiB lead to a collection, which frees nothing. */
function collectionsOf(trim: CalmTrim, shareAt: (seconds: number) => number, until: number): number[] {
  const collections: number[] = [];
  for (let seconds = 5; seconds <= until; seconds += 5) {
    const sample = { ...calm(180, seconds), busyShare: shareAt(seconds) };
    if (trim.sample(sample) !== 'collect') continue;
    collections.push(seconds);
    trim.trimmed(sample, sample.anonymousBytes, 60);
  }
  return collections;
}

test('CalmTrim collects 20 s after a burst, not while it lasts', () => {
  const trim = new CalmTrim();
  const samples = [calm(60, 100), calm(70, 105), busy(200, 110), busy(180, 115)];
  for (const sample of samples) assert.equal(trim.sample(sample), 'nothing');
  const after = [120, 125, 130, 135].map((seconds) => trim.sample(calm(180, seconds)));
  assert.deepEqual(after, ['nothing', 'nothing', 'nothing', 'collect']);
});

test('CalmTrim returns free memory once after a burst that left little', () => {
  const trim = new CalmTrim();
  trim.sample(calm(60, 0));
  const actions = [busy(70, 5), ...[10, 15, 20, 25, 30, 35].map((seconds) => calm(70, seconds))].map((one) =>
    trim.sample(one),
  );
  assert.deepEqual(actions, [...Array(4).fill('nothing'), 'release', 'nothing', 'nothing']);
});

test('CalmTrim returns free memory once a minute beside a little work, and when that has ended', () => {
  const trim = new CalmTrim();
  trim.sample(calm(60, 0));
  const released: number[] = [];
  for (let seconds = 5; seconds <= 600; seconds += 5) {
    const sample = { ...calm(70, seconds), busyShare: seconds <= 500 ? 0.08 : 0.001 };
    if (trim.sample(sample) === 'release') released.push(seconds);
  }
  // It counts as calm after five minutes. The last work was at 500.
  assert.deepEqual(released, [300, 360, 420, 480, 520]);
});

const nowAndThen = (seconds: number) => (seconds % 20 === 0 ? 0.08 : 0.001);

test('CalmTrim waits five minutes where somebody calls now and then', () => {
  const trim = new CalmTrim();
  trim.sample(calm(130, 0));
  const [first] = collectionsOf(trim, nowAndThen, 600);
  assert.equal(first, 300);
});

test('CalmTrim does not wait for calm where the memory has grown by half, and collects once a minute', () => {
  const trim = new CalmTrim();
  trim.sample(calm(60, 0));
  assert.deepEqual(collectionsOf(trim, nowAndThen, 200), [30, 90, 150]);
});

test('CalmTrim that is not calm collects 30 s after it used more than a fifth of a processor, not before', () => {
  const trim = new CalmTrim();
  trim.sample(calm(60, 0));
  const shareAt = (seconds: number) => (seconds === 80 ? 0.25 : nowAndThen(seconds));
  assert.deepEqual(collectionsOf(trim, shareAt, 120), [30, 110]);
});

test('CalmTrim knows the calm of a daemon that is slow, as in an emulator', () => {
  const trim = new CalmTrim();
  trim.sample({ ...calm(60, 0), busyShare: 0.25 });
  const [first] = collectionsOf(trim, (seconds) => (seconds < 60 ? 0.9 : 0.3), 600);
  assert.equal(first, 75);
});

test('CalmTrim takes no burst for calm, also in a daemon that had work from its start', () => {
  const trim = new CalmTrim();
  trim.sample({ ...calm(60, 0), busyShare: 0.5 });
  assert.deepEqual(
    collectionsOf(trim, () => 0.5, 600),
    [],
  );
});

test('CalmTrim retries a collection that freed little, less often after many times', () => {
  const trim = new CalmTrim();
  trim.sample(calm(60, 0));
  const collections = collectionsOf(trim, () => 0.01, 1800);
  const pauses = collections.slice(1).map((seconds, index) => seconds - (collections[index] ?? 0));
  assert.deepEqual(pauses, [20, ...Array(14).fill(40), 600, 600]);
});

test('CalmTrim soon allows another collection after one that freed memory', () => {
  const trim = new CalmTrim();
  trim.sample(calm(60, 0));
  assert.equal(trim.sample(calm(180, 25)), 'collect');
  trim.trimmed(calm(180, 25), 100 * mib, 60);
  assert.deepEqual([trim.sample(calm(100, 30)), trim.sample(calm(100, 35))], ['nothing', 'collect']);
});

test('CalmTrim ends the long pause when another burst begins', () => {
  const trim = new CalmTrim();
  trim.sample(calm(60, 0));
  for (let seconds = 5; seconds < 700; seconds += 5) {
    const sample = calm(180, seconds);
    if (trim.sample(sample) === 'collect') trim.trimmed(sample, 180 * mib, 60);
  }
  assert.deepEqual(
    [calm(180, 700), calm(250, 705), calm(250, 710), calm(250, 715)].map((one) => trim.sample(one)),
    ['nothing', 'nothing', 'nothing', 'collect'],
  );
});

test('CalmTrim collects rarely where a collection blocks the daemon for long', () => {
  const trim = new CalmTrim();
  trim.sample(calm(60, 0));
  const collections: number[] = [];
  for (let seconds = 5; seconds < 300; seconds += 5) {
    // Each time something new is free, as after a short burst.
    const sample = calm(180 + seconds, seconds);
    if (trim.sample(sample) !== 'collect') continue;
    collections.push(seconds);
    trim.trimmed(sample, 60 * mib, 1100);
  }
  assert.deepEqual(collections, [20, 75, 130, 185, 240, 295]);
});

test('CalmTrim frees the memory of the start at the first calm moment after 40 s, once', () => {
  const trim = new CalmTrim(500);
  const actions = [5, 10, 15, 20, 25, 30, 35, 40, 45, 50].map((seconds) => trim.sample(calm(60, seconds)));
  assert.deepEqual(actions, [...Array(7).fill('nothing'), 'free-start', 'nothing', 'nothing']);
});

test('CalmTrim keeps the memory of the start while the daemon works, and does not collect before', () => {
  const trim = new CalmTrim(500);
  trim.sample(calm(60, 5));
  const until = Array.from({ length: 11 }, (_, index) => 10 + 5 * index);
  for (const seconds of until) assert.equal(trim.sample(busy(200, seconds)), 'nothing');
  const after = [65, 70, 75, 80].map((seconds) => trim.sample(calm(200, seconds)));
  assert.deepEqual(after, ['nothing', 'nothing', 'nothing', 'free-start']);
});

test('CalmTrim waits twice as long as a slow start took', () => {
  const trim = new CalmTrim(60_000);
  const actions = [30, 60, 90, 115, 120].map((seconds) => trim.sample(calm(60, seconds)));
  assert.deepEqual(actions, [...Array(4).fill('nothing'), 'free-start']);
});
