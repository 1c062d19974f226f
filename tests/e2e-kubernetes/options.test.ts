import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOptions } from './options.ts';

test('readOptions() has an hour, and a cluster of its own, without variables', () => {
  assert.deepEqual(readOptions({}), { limitMs: 3_600_000, keeps: 'none' });
  assert.deepEqual(readOptions({ CLUSTER: '', FOCUS: '', MINUTES: '', RESUME: '' }), readOptions({}));
});

test('readOptions() takes every variable', () => {
  const all = { CLUSTER: 'lab', FOCUS: 'DNS', MINUTES: '0.5', RESUME: 'failed' };
  assert.deepEqual(readOptions(all), { cluster: 'lab', focus: /DNS/, limitMs: 30_000, keeps: 'passed' });
  assert.equal(readOptions({ RESUME: '1' }).keeps, 'all');
});

test('readOptions() refuses values that it does not understand, with the name of the variable', () => {
  for (const MINUTES of ['0', '-1', 'ten', '1441', 'Infinity', 'NaN'])
    assert.throws(() => readOptions({ MINUTES }), /^Error: MINUTES=\S+ is no number of minutes/);
  assert.throws(() => readOptions({ FOCUS: '(' }), /^Error: FOCUS=\( is not a regular expression$/);
  for (const RESUME of ['yes', 'constructor', '0'])
    assert.throws(() => readOptions({ RESUME }), /^Error: RESUME=\w+ is neither 1 nor failed$/);
});
