import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeTimers } from '@nodewright/controllers/testing';
import { Latch } from '@nodewright/services';
import { metWithin } from './start-condition.ts';

const { signal: never } = new AbortController();

test('metWithin() is met with its condition', async () => {
  const latch = new Latch('service "apid" to be "up"');
  const condition = metWithin(latch, 30_000, new FakeTimers());
  assert.deepEqual([condition.text, condition.isMet()], [latch.text, false]);
  const waiting = condition.wait(never);
  latch.meet();
  await waiting;
  assert.equal(condition.isMet(), true);
});

test('metWithin() is met after its limit, and stays met', async () => {
  const timers = new FakeTimers();
  const condition = metWithin(new Latch('x'), 30_000, timers);
  const waiting = condition.wait(never);
  timers.step(timers.now() + 30_000);
  await waiting;
  assert.equal(condition.isMet(), true);
});

test('metWithin() is not met when its wait was cancelled', async () => {
  const condition = metWithin(new Latch('x'), 30_000, new FakeTimers());
  const stop = new AbortController();
  const waiting = condition.wait(stop.signal);
  stop.abort();
  await waiting;
  assert.equal(condition.isMet(), false);
});
