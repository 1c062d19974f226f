import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addressBlock } from './address-block.ts';

test('addressBlock() is the address itself for IPv4 and the /64 for IPv6', () => {
  const rows = [
    ['10.5.0.5', '10.5.0.5'],
    ['::ffff:10.5.0.5', '10.5.0.5'],
    ['fd00:1:2:3:4:5:6:7', 'fd00:1:2:3::/64'],
    ['FD00:1:2:3::9', 'fd00:1:2:3::/64'],
    ['fd00::9', 'fd00:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1::2:3:4:5:6', '1:0:0:2::/64'],
    ['::4:5:6:7:10.0.0.1', '0:0:4:5::/64'],
    ['unknown', 'unknown'],
    ['', ''],
  ] as const;
  assert.deepEqual(
    rows.map(([address]) => addressBlock(address)),
    rows.map(([, group]) => group),
  );
});

test('addressBlock() does not depend on the last 64 bits of an IPv6 address', () => {
  const half = fc.array(fc.nat(0xffff), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(half, half, half, (network, one, other) => {
      const text = (host: number[]) => [...network, ...host].map((part) => part.toString(16)).join(':');
      // Mapped IPv4 addresses count as IPv4.
      fc.pre(network.some((part) => part !== 0));
      assert.equal(addressBlock(text(one)), addressBlock(text(other)));
    }),
  );
});
