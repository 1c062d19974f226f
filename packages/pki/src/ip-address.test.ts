import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import fc from 'fast-check';
import { bytesFromIpAddress, ipAddressFromBytes } from './ip-address.ts';

test('addresses in any notation have their bytes and one short text', () => {
  const rows = [
    ['10.5.0.2', '0a050002', '10.5.0.2'],
    ['::', '0'.repeat(32), '::'],
    ['::1', `${'0'.repeat(31)}1`, '::1'],
    ['2001:DB8:0:0:0:0:1:2', '20010db8000000000000000000010002', '2001:db8::1:2'],
    ['fe80::', `fe80${'0'.repeat(28)}`, 'fe80::'],
    ['64:ff9b::192.0.2.33', '0064ff9b0000000000000000c0000221', '64:ff9b::c000:221'],
    ['::ffff:127.0.0.1', '7f000001', '127.0.0.1'],
    ['::ffff:7f00:1', '7f000001', '127.0.0.1'],
  ] as const;
  const actual = rows.map(([text]) => {
    const bytes = bytesFromIpAddress(text);
    return [text, bytes.toString('hex'), ipAddressFromBytes(bytes)];
  });
  assert.deepEqual(actual, rows);
});

test('ipAddressFromBytes() and bytesFromIpAddress() are inverses', () => {
  const length = fc.constantFrom(4, 16);
  fc.assert(
    fc.property(
      length.chain((size) => fc.uint8Array({ minLength: size, maxLength: size })),
      (bytes) => {
        const text = ipAddressFromBytes(Buffer.from(bytes));
        const back = bytesFromIpAddress(text);
        assert.equal(ipAddressFromBytes(back), text);
        // A mapped IPv4 address is returned as its four bytes.
        assert.deepEqual(back, Buffer.from(bytes).subarray(bytes.length - back.length));
      },
    ),
  );
});

test('bytesFromIpAddress() refuses names, zones and malformed addresses', () => {
  for (const text of ['node01', '', '10.5.0', '10.5.0.256', 'fe80::1%eth0', '1::2::3', '[::1]']) {
    assert.throws(
      () => bytesFromIpAddress(text),
      (error) => error instanceof Fault && error.message === `${JSON.stringify(text)} is not an IP address`,
    );
  }
});
