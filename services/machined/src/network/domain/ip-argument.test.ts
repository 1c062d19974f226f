import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseIpArgument } from './ip-argument.ts';

test('parseIpArgument() reads a static address', () => {
  assert.deepEqual(parseIpArgument('10.0.2.15::10.0.2.2:255.255.255.0:node01:eth0:off:10.0.2.3'), {
    ...{ address: '10.0.2.15', prefixLength: 24, gateway: '10.0.2.2' },
    ...{ hostname: 'node01', device: 'eth0', nameServers: ['10.0.2.3'] },
  });
  assert.deepEqual(parseIpArgument('10.0.2.15:::16'), {
    address: '10.0.2.15',
    prefixLength: 16,
    nameServers: [],
  });
  for (const none of ['', 'off', 'none']) assert.equal(parseIpArgument(none), undefined);
});

test('parseIpArgument() names the field that is wrong', () => {
  const cases: [string, RegExp][] = [
    ['dhcp', /ip=dhcp: DHCP is not implemented yet, .*: write ip=<address>::/],
    ['on', /ip=on: DHCP is not implemented yet/],
    [':::::eth0:dhcp', /ip=:::::eth0:dhcp: DHCP is not implemented yet/],
    ['10.0.0.1:::24:::both', /DHCP is not implemented yet/],
    ['10.0.0.1:::24:::later', /"later" is not implemented: write ip=<address>::/],
    ['dhcp6', /address "dhcp6" is not an IPv4 address/],
    ['10.0.0.1', /netmask "" is not an IPv4 address/],
    ['10.0.0.1:::255.0.255.0', /netmask "255.0.255.0" has ones after a zero/],
    ['10.0.0.1::x:24', /gateway "x" is not an IPv4 address/],
    ['10.0.0.1:::24::::x', /name server "x" is not an IPv4 address/],
  ];
  for (const [value, message] of cases) assert.throws(() => parseIpArgument(value), message);
});

test('parseIpArgument() returns or throws an Error for every text', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc
          .array(fc.constantFrom('', '10.0.0.1', '255.255.0.0', '33', 'off', 'dhcp', 'x'))
          .map((fields) => fields.join(':')),
      ),
      (value) => {
        try {
          const parsed = parseIpArgument(value);
          if (parsed !== undefined) assert.ok(parsed.prefixLength >= 0 && parsed.prefixLength <= 32);
        } catch (error) {
          assert.ok(error instanceof Error && error.message.startsWith('ip='));
        }
      },
    ),
  );
});
