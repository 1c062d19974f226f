import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TransferProgress, transferText } from './transfer-progress.ts';

test('transferText() has a bar and the total when the size is known', () => {
  assert.equal(transferText(0, 30_000_000, 0), '[          ] 0 B of 30 MB, 0 B/s');
  assert.equal(transferText(12_000_000, 30_000_000, 4_000_000), '[====      ] 12 MB of 30 MB, 4.0 MB/s');
  assert.equal(transferText(30_000_000, 30_000_000, 1000), '[==========] 30 MB of 30 MB, 1.0 kB/s');
  assert.equal(transferText(31, 30, 1), '[==========] 31 B of 30 B, 1 B/s');
  assert.equal(transferText(0, 0, 0), '[          ] 0 B of 0 B, 0 B/s');
  assert.equal(transferText(12_000_000, undefined, 4_000_000), '12 MB, 4.0 MB/s');
});

test('TransferProgress measures the rate of the bytes that it was told', (t) => {
  let now = 1000;
  t.mock.method(performance, 'now', () => now);
  const progress = new TransferProgress(4_000_000);
  now += 1000;
  progress.add(1_000_000);
  now += 1000;
  progress.add(1_000_000);
  assert.equal(progress.bytes, 2_000_000);
  assert.equal(progress.text, '[=====     ] 2.0 MB of 4.0 MB, 1.0 MB/s');
  progress.set(3_000_000, 6_000_000);
  assert.equal(progress.text, '[=====     ] 3.0 MB of 6.0 MB, 1.5 MB/s');
});
