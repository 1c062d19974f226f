import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from '@nodewright/fault';
import fc from 'fast-check';
import { jsonReplacer, toJson } from './to-json.ts';

test('toJson() prints every digit of a bigint', () => {
  assert.equal(
    toJson({ total: 18_446_744_073_709_551_615n, list: [-1n] }, 0),
    '{"total":18446744073709551615,"list":[-1]}',
  );
});

test('toJson() prints bytes as base64, dates as strings, and redacts secrets', () => {
  const value = {
    buffer: Buffer.from('abc'),
    bytes: new Uint8Array([255]),
    at: new Date(0),
    key: new Secret('k'),
  };
  assert.equal(
    toJson(value, 0),
    '{"buffer":"YWJj","bytes":"/w==","at":"1970-01-01T00:00:00.000Z","key":"******"}',
  );
});

test('toJson() indents with two spaces by default', () => {
  assert.equal(toJson({ a: 1n }), '{\n  "a": 1\n}');
});

test('jsonReplacer() does not make JSON.stringify() throw, and changes nothing in data without bigints', () => {
  fc.assert(
    fc.property(fc.anything({ withBigInt: true }), (value) => {
      JSON.stringify(value, jsonReplacer);
    }),
  );
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.equal(JSON.stringify(value, jsonReplacer), JSON.stringify(value));
    }),
  );
});
