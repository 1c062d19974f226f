import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRequestSize, signingPolicy } from './signing-policy.ts';

test('signingPolicy() grants a server certificate without roles, from half an hour ago for 24 hours', () => {
  const now = new Date('2026-08-15T10:20:30Z');
  assert.deepEqual(signingPolicy(now), {
    subject: 'common-name',
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['serverAuth'],
    notBefore: new Date('2026-08-15T09:50:30Z'),
    lifetimeHours: 24.5,
  });
});

test('assertRequestSize() rejects a request over 64 KiB and names its size', () => {
  assertRequestSize(65_536);
  assert.throws(() => assertRequestSize(65_537), {
    kind: 'invalid-argument',
    message: 'the CSR has 65537 bytes, more than 65536',
  });
});
