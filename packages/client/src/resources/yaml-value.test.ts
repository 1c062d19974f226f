import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseYamlValue } from './yaml-value.ts';

test('parseYamlValue() returns an integer as a number if a number can hold it exactly', () => {
  assert.deepEqual(parseYamlValue('a: 9007199254740991\nb: 9007199254740992\nc: [-1, 1.5]'), {
    a: 9007199254740991,
    b: 9007199254740992n,
    c: [-1, 1.5],
  });
});

test('parseYamlValue() returns null for an empty text, and accepts a single scalar', () => {
  assert.deepEqual(
    [parseYamlValue(''), parseYamlValue('worker'), parseYamlValue('{}')],
    [null, 'worker', {}],
  );
});

test('parseYamlValue() does not let a key change the prototype of a value', () => {
  const value = parseYamlValue('__proto__: { polluted: true }') as Record<string, unknown>;
  assert.equal(value.polluted, undefined);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
});
