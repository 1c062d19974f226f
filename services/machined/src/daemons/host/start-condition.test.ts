import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { FakeTimers } from '@nodewright/controllers/testing';
import { Latch } from '@nodewright/services';
import { metUnless, metWithin } from './start-condition.ts';

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

test('metUnless() is met after its limit when the other condition is not, and stays met', async () => {
  const timers = new FakeTimers();
  const condition = metUnless(new Latch('x'), new Latch('y'), { limitMs: 2000, timers });
  const waiting = condition.wait(never);
  timers.step(timers.now() + 2000);
  await waiting;
  assert.equal(condition.isMet(), true);
});

test('metUnless() waits for its condition when the other one is met, and is not met when its wait was cancelled', async () => {
  const timers = new FakeTimers();
  const [latch, other] = [new Latch('x'), new Latch('y')];
  const condition = metUnless(latch, other, { limitMs: 2000, timers });
  const stop = new AbortController();
  const cancelled = condition.wait(stop.signal);
  stop.abort();
  await cancelled;
  assert.equal(condition.isMet(), false);
  other.meet();
  const waiting = condition.wait(never);
  timers.step(timers.now() + 2000);
  await turn();
  assert.equal(condition.isMet(), false);
  latch.meet();
  await waiting;
  assert.equal(condition.isMet(), true);
});
