import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOverlap } from './address-overlap.ts';

const subnets = { podSubnets: ['10.244.0.0/16', 'fd00::/64'], serviceSubnets: ['10.96.0.0/12'] };
const table: readonly (readonly [address: string, isOverlap: boolean])[] = [
  ['192.168.0.1/24', false],
  ['10.244.3.1/32', true],
  ['10.0.0.5/8', true],
  ['10.97.0.1/24', true],
  ['fd00::5/128', true],
  ['fd01::5/64', false],
  ['no address', false],
];

for (const [address, isOverlap] of table) {
  test(`addressOverlap() finds ${isOverlap ? 'a' : 'no'} problem with ${address}`, () => {
    assert.equal(addressOverlap({ ...subnets, addresses: [address] }) !== undefined, isOverlap);
  });
}

test('addressOverlap() names the networks', () => {
  assert.deepEqual(addressOverlap({ ...subnets, addresses: ['10.244.3.1/32'] }), {
    message: 'host and Kubernetes pod/service CIDR addresses overlap',
    details: [
      'host addresses: 10.244.3.1/32',
      'pod CIDRs: 10.244.0.0/16, fd00::/64',
      'service CIDRs: 10.96.0.0/12',
    ],
  });
});
