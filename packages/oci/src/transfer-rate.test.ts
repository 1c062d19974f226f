import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TransferRate } from './transfer-rate.ts';

test('TransferRate measures the last five seconds, and falls to nothing when no byte comes', () => {
  const rate = new TransferRate();
  assert.equal(rate.bytesPerSecond(0), 0);
  for (let second = 0; second <= 10; second += 1) rate.record(second * 1000, second * 1000);
  assert.equal(rate.bytesPerSecond(10_000), 1000);
  for (let second = 11; second <= 20; second += 1) rate.record(10_000 + (second - 10) * 5000, second * 1000);
  assert.equal(rate.bytesPerSecond(20_000), 5000);
  assert.equal(rate.bytesPerSecond(30_000), 0);
});

test('TransferRate keeps few samples however often it is told', () => {
  const rate = new TransferRate();
  for (let ms = 0; ms <= 10_000; ms += 1) rate.record(ms, ms);
  const found = rate.bytesPerSecond(10_000);
  assert.ok(found > 900 && found < 1100, String(found));
});
