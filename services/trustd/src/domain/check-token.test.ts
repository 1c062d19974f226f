import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from '@nodewright/fault';
import fc from 'fast-check';
import { checkToken } from './check-token.ts';

const expected = new Secret('abcdef.0123456789abcdef');

test('checkToken() accepts the token and rejects similar texts', () => {
  const given = [
    undefined,
    '',
    'abcdef.0123456789abcdef',
    'abcdef.0123456789abcdeF',
    'abcdef.0123456789abcdef ',
    'abcdef.0123456789abcde',
  ];
  assert.deepEqual(
    given.map((token) => checkToken(token, expected)),
    ['missing', 'invalid', 'valid', 'invalid', 'invalid', 'invalid'],
  );
});

test('checkToken() compares texts of any length for equality', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string(), (token, other) => {
      assert.equal(checkToken(token, new Secret(token)), 'valid');
      assert.equal(checkToken(other, new Secret(token)), other === token ? 'valid' : 'invalid');
    }),
  );
});

test('checkToken() accepts nothing when the node has no token', () => {
  assert.deepEqual(
    [undefined, ''].map((token) => checkToken(token, new Secret(''))),
    ['missing', 'invalid'],
  );
});
