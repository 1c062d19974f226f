import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseYamlValue } from './yaml-value.ts';

test('parseYamlValue() keeps integers as numbers while they are exact', () => {
  assert.deepEqual(parseYamlValue('a: 9007199254740991\nb: 9007199254740992\nc: [-1, 1.5]'), {
    a: 9007199254740991,
    b: 9007199254740992n,
    c: [-1, 1.5],
  });
});

test('parseYamlValue() gives null for nothing, and what a document of one value says', () => {
  assert.deepEqual(
    [parseYamlValue(''), parseYamlValue('worker'), parseYamlValue('{}')],
    [null, 'worker', {}],
  );
});

test('a key cannot change the prototype of a value', () => {
  const value = parseYamlValue('__proto__: { polluted: true }') as Record<string, unknown>;
  assert.equal(value.polluted, undefined);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
});
