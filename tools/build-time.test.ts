import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildTime } from './build-time.ts';

const nowMs = Date.UTC(2026, 5, 1);
const seconds = (unixMs: number) => String(unixMs / 1000);

test('the time of a build is that of its commit, also years later', () => {
  assert.equal(buildTime(seconds(Date.UTC(2026, 2, 1)), nowMs), '2026-03-01T00:00:00.000Z');
  assert.equal(buildTime(seconds(Date.UTC(2020, 2, 1)), nowMs), '2020-03-01T00:00:00.000Z');
});

test('a commit from the future counts as built now', () => {
  assert.equal(buildTime(seconds(Date.UTC(2030, 0, 1)), nowMs), '2026-06-01T00:00:00.000Z');
});

test('a build without a commit has no time', () => {
  assert.equal(buildTime(undefined, nowMs), '');
});
