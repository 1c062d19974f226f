import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { isIpAddress } from './is-ip-address.ts';

test('isIpAddress() gives the same result as isIP() of node:net', () => {
  const byte = fc.integer({ min: 0, max: 300 });
  const candidate = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.domain(),
    fc.string(),
    fc.tuple(byte, byte, byte, byte).map((parts) => parts.join('.')),
    fc.constantFrom(
      '',
      '1.2.3',
      '1.2.3.4.5',
      '1.2.3.4.',
      '01.2.3.4',
      '::',
      ':',
      '1:2',
      'fe80::1%eth0',
      '0.0.0.0',
    ),
  );
  fc.assert(
    fc.property(candidate, (text) => {
      if (text.includes('%')) return;
      assert.equal(isIpAddress(text), isIP(text) !== 0, text);
    }),
  );
});
