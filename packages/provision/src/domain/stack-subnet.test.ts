import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import fc from 'fast-check';
import { overlaps, parseRange, routedRanges } from './ipv4-range.ts';
import { candidateStackSubnets, isFree, parseStackSubnet } from './stack-subnet.ts';
import { subnetCidr } from './subnet.ts';

const ranges = (...cidrs: string[]) =>
  cidrs.map((cidr) => parseRange(cidr) ?? assert.fail(`${cidr} is no range`));

test('candidateStackSubnets() starts with the default of Talos and leaves out ranges that overlap with taken ones', () => {
  const first = (...taken: string[]) => candidateStackSubnets(ranges(...taken), 2).map(subnetCidr);
  assert.deepEqual(first(), ['10.5.0.0/24', '10.5.1.0/24']);
  assert.deepEqual(first('10.5.0.0/24', '10.5.2.128/25'), ['10.5.1.0/24', '10.5.3.0/24']);
  assert.deepEqual(first('10.5.0.0/16'), ['10.6.0.0/24', '10.6.1.0/24']);
  assert.deepEqual(first('0.0.0.0/0'), []);
});

test('candidateStackSubnets() returns no range that overlaps with a taken one', () => {
  const cidr = fc
    .tuple(fc.nat(20), fc.nat(255), fc.nat(255), fc.integer({ min: 12, max: 32 }))
    .map(([second, third, fourth, bits]) => `10.${second}.${third}.${fourth}/${bits}`);
  fc.assert(
    fc.property(fc.array(cidr, { maxLength: 8 }), (taken) => {
      const found = candidateStackSubnets(ranges(...taken), 3);
      assert.ok(found.every((subnet) => isFree(subnet, ranges(...taken))));
    }),
  );
});

test('overlaps() is symmetric, and true for a range and itself', () => {
  const [wide, narrow, other] = ranges('10.0.0.0/8', '10.255.255.255/32', '11.0.0.0/8');
  assert.ok(wide && narrow && other);
  assert.deepEqual(
    [overlaps(wide, narrow), overlaps(narrow, wide), overlaps(wide, wide), overlaps(wide, other)],
    [true, true, true, false],
  );
});

test('parseRange() rejects IPv6 and numbers above 255', () => {
  assert.deepEqual(
    ['fd00::/8', '10.5.0.256/24', '10.5.0.0/33', '10.5.0.0', ''].map(parseRange),
    Array(5).fill(undefined),
  );
});

test("routedRanges() reads the kernel's routes except the default route", () => {
  const text = `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
docker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0
eth0\t000200C0\t00000000\t0001\t0\t0\t0\tF8FFFFFF\t0\t0\t0
`;
  assert.deepEqual(routedRanges(text), ranges('172.17.0.0/16', '192.0.2.0/29'));
});

test('parseStackSubnet() rejects subnets that no bridge can have', () => {
  assert.deepEqual(parseStackSubnet('192.168.7.0/24'), { first: 192, second: 168, third: 7 });
  for (const cidr of [
    '127.5.0.0/24',
    '10.5.0.0/16',
    '10.5.0.1/24',
    '224.1.1.0/24',
    '169.254.1.0/24',
    '10.999.0.0/24',
    '',
  ])
    assert.throws(
      () => parseStackSubnet(cidr),
      (error) =>
        error instanceof Fault && error.kind === 'invalid-argument' && error.message.includes(`"${cidr}"`),
    );
});
