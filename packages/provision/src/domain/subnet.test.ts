import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import fc from 'fast-check';
import { candidateSubnets, gatewayAddress, nodeAddress, parseSubnet, subnetCidr } from './subnet.ts';

test('parseSubnet() accepts the output of subnetCidr()', () => {
  fc.assert(
    fc.property(fc.nat(255), fc.integer({ min: 1, max: 255 }), (second, third) => {
      assert.deepEqual(parseSubnet(subnetCidr({ first: 127, second, third })), { first: 127, second, third });
    }),
  );
});

test('parseSubnet() rejects everything except a loopback /24 other than 127.0.0.0/24', () => {
  const refused = [
    '127.0.0.0/24',
    '127.300.1.0/24',
    '127.1.2.3/24',
    '127.1.2.0/16',
    '10.5.0.0/24',
    '',
    '127.1.2.0',
  ];
  for (const cidr of refused) {
    assert.throws(
      () => parseSubnet(cidr),
      (error) => error instanceof Fault && error.kind === 'invalid-argument' && error.message.includes(cidr),
    );
  }
});

test('a subnet has its gateway at .1 and its first node at .2', () => {
  const subnet = parseSubnet('127.40.7.0/24');
  assert.deepEqual(
    [gatewayAddress(subnet), nodeAddress(subnet, 0), nodeAddress(subnet, 252)],
    ['127.40.7.1', '127.40.7.2', '127.40.7.254'],
  );
});

test('candidateSubnets() is deterministic and returns distinct subnets in range that are not taken', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 40 }), (key, count) => {
      const first = candidateSubnets(key, count);
      assert.deepEqual(candidateSubnets(key, count), first);
      assert.equal(new Set(first.map(subnetCidr)).size, count);
      assert.ok(first.every(({ second }) => second >= 16 && second <= 254));
      const taken = new Set(first.map(subnetCidr));
      assert.ok(candidateSubnets(key, count, taken).every((subnet) => !taken.has(subnetCidr(subnet))));
    }),
  );
});

test('candidateSubnets() returns different subnets for clusters of the same name in two clones', () => {
  const firstOf = (key: string) => candidateSubnets(key, 1).map(subnetCidr);
  assert.notDeepEqual(firstOf('talos-default\0/a/_out'), firstOf('talos-default\0/b/_out'));
});
