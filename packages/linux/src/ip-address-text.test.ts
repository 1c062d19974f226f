import assert from 'node:assert/strict';
import { BlockList, isIP } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { ipAddressBytes, ipAddressText } from './ip-address-text.ts';

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

test('ipAddressText() shortens the longest run of zeros, the first of equal ones, and no single zero', () => {
  const rows: [string, string][] = [
    ['0a050002', '10.5.0.2'],
    ['0000 0000 0000 0000 0000 0000 0000 0000', '::'],
    ['2001 0db8 0000 0000 0001 0000 0000 0001', '2001:db8::1:0:0:1'],
    ['2001 0db8 0000 0001 0001 0001 0001 0001', '2001:db8:0:1:1:1:1:1'],
    ['fe80 0000 0000 0000 0000 0000 0000 0000', 'fe80::'],
    ['0001 0000 0000 0001 0000 0000 0000 0001', '1:0:0:1::1'],
    ['0000 0000 0000 0000 0000 ffff 0a05 0002', '10.5.0.2'],
  ];
  for (const [hex, text] of rows) assert.equal(ipAddressText(bytes(hex)), text);
  for (const [hex, text] of rows.filter(([, text]) => isIP(text) === 6))
    assert.deepEqual(ipAddressBytes(text), bytes(hex));
  assert.deepEqual(ipAddressBytes('::ffff:10.5.0.2'), bytes('0000 0000 0000 0000 0000 ffff 0a05 0002'));
  for (const text of ['', '10.0.0', 'fd00::1/64', 'node01'])
    assert.throws(() => ipAddressBytes(text), TypeError);
});

test('ipAddressText() returns an address with the same bytes', () => {
  const address = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((value) => {
    // Zeros are frequent here, because only they are shortened.
    return value.map((byte) => (byte < 128 ? 0 : byte));
  });
  fc.assert(
    fc.property(address, (value) => {
      const text = ipAddressText(value);
      const plain = Array.from({ length: 8 }, (_, index) =>
        Buffer.from(value.subarray(2 * index, 2 * index + 2)).toString('hex'),
      ).join(':');
      const list = new BlockList();
      list.addAddress(plain, 'ipv6');
      assert.ok(isIP(text) === 4 || (isIP(text) === 6 && list.check(text, 'ipv6')), `${plain} ${text}`);
    }),
  );
});
