import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LookRest } from './look-rest.ts';

const pauses = (rest: LookRest, looks: number, waitedMs: number, tookMs: number) =>
  Array.from({ length: looks }, () => rest.after({ waitedMs, tookMs }));

test('while a machine starts, each look is followed by four times its duration, up to the longest pause', () => {
  const rest = new LookRest(2000);
  assert.deepEqual(pauses(rest, 2, 0, 100), [400, 400]);
  assert.deepEqual(pauses(rest, 2, 100, 900), [2000, 2000]);
});

test('after five quiet seconds six looks have no pause, and further ones do until it is quiet again', () => {
  const rest = new LookRest();
  assert.equal(rest.after({ waitedMs: 4999, tookMs: 100 }), 400);
  for (let round = 0; round < 2; round += 1) {
    assert.equal(rest.after({ waitedMs: 5000, tookMs: 100 }), 0);
    assert.deepEqual(pauses(rest, 7, 10, 100), [0, 0, 0, 0, 0, 400, 400]);
  }
});
