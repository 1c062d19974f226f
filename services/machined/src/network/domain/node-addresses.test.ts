import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AddressStatusSpec, LinkStatusSpec } from '@nodewright/state/kinds';
import {
  addressCandidates,
  type NodeAddressFacts,
  nodeAddressesOf,
  sortAddresses,
} from './node-addresses.ts';

const address = (
  text: string,
  linkName: string,
  rest: Partial<AddressStatusSpec> = {},
): AddressStatusSpec => ({
  ...{ address: text, local: '', broadcast: '', anycast: '', multicast: '', linkIndex: 1, linkName },
  ...{ family: 'inet4', scope: 'global', flags: [], priority: 0 },
  ...rest,
});
const link = (name: string, operationalState: LinkStatusSpec['operationalState'] = 'up') => ({
  name,
  spec: { operationalState } as LinkStatusSpec,
});

test("addressCandidates() takes the node's addresses on links that are up", () => {
  const { current, routed } = addressCandidates(
    [
      address('127.0.0.1/8', 'lo', { scope: 'host' }),
      address('127.0.0.2/8', 'lo'),
      address('10.0.0.1/24', 'eth0'),
      address('fe80::1/64', 'eth0', { scope: 'link' }),
      address('169.254.116.108/32', 'lo'),
      address('224.0.0.1/32', 'eth0'),
      address('10.1.0.1/24', 'eth1'),
      address('10.2.0.1/24', 'gone'),
      address('10.9.9.2/32', 'tun0', { local: '10.9.9.1' }),
      address('203.0.113.1/32', 'external'),
      address('fdae:41e4:649b:9303::1/64', 'siderolink'),
    ],
    [link('lo', 'unknown'), link('eth0'), link('eth1', 'down'), link('tun0'), link('siderolink')],
  );
  const kernels = ['10.0.0.1/24', '10.9.9.1/32'];
  assert.deepEqual(current, [...kernels, '203.0.113.1/32', 'fdae:41e4:649b:9303::1/64']);
  assert.deepEqual(routed, kernels);
});

const addressesOf = (current: readonly string[], rest: Partial<NodeAddressFacts> = {}) =>
  Object.fromEntries(
    nodeAddressesOf({
      ...{ candidates: { current, routed: current }, filters: [], sortAlgorithm: 'v1' },
      ...{ previous: { default: [], accumulative: [] }, preferred: [], isOrdered: false },
      ...rest,
    }),
  );

test('nodeAddressesOf() has no default without an address', () => {
  assert.deepEqual(addressesOf([]), { current: [], routed: [], accumulative: [] });
});

test('nodeAddressesOf() keeps the default as long as it exists', () => {
  const previous = { default: ['10.0.0.9/24'], accumulative: ['10.0.0.9/24'] };
  assert.deepEqual(addressesOf(['10.0.0.9/24', '10.0.0.1/24'], { previous }).default, ['10.0.0.9/24']);
  const moved = addressesOf(['10.0.0.1/24'], { previous });
  assert.deepEqual(moved.default, ['10.0.0.1/24']);
  assert.deepEqual(moved.accumulative, ['10.0.0.1/24', '10.0.0.9/24']);
});

test('nodeAddressesOf() prefers a given address as the default', () => {
  const preferred = ['10.0.0.7', '10.0.0.2'];
  assert.deepEqual(addressesOf(['10.0.0.1/24', '10.0.0.2/24'], { preferred }).default, ['10.0.0.2/24']);
  assert.deepEqual(addressesOf(['10.0.0.1/24'], { preferred }).default, ['10.0.0.1/24']);
});

test('nodeAddressesOf() has every group of addresses with its filters', () => {
  const filters = [
    { id: 'no-k8s', spec: { includeSubnets: [], excludeSubnets: ['10.244.0.0/16'] } },
    { id: 'only-k8s', spec: { includeSubnets: ['10.244.0.0/16'], excludeSubnets: [] } },
  ];
  assert.deepEqual(addressesOf(['10.0.0.1/24', '10.244.1.1/24', '10.0.0.1/24'], { filters }), {
    default: ['10.0.0.1/24'],
    current: ['10.0.0.1/24', '10.244.1.1/24'],
    'current-no-k8s': ['10.0.0.1/24'],
    'current-only-k8s': ['10.244.1.1/24'],
    routed: ['10.0.0.1/24', '10.244.1.1/24'],
    'routed-no-k8s': ['10.0.0.1/24'],
    'routed-only-k8s': ['10.244.1.1/24'],
    accumulative: ['10.0.0.1/24', '10.244.1.1/24'],
    'accumulative-no-k8s': ['10.0.0.1/24'],
    'accumulative-only-k8s': ['10.244.1.1/24'],
  });
});

test('sortAddresses() sorts by address, or the more specific networks first', () => {
  const list = ['fd00::1/64', '10.0.0.2/32', '10.0.0.1/24', 'fd00::2/128'];
  assert.deepEqual(sortAddresses(list, 'v1'), ['10.0.0.1/24', '10.0.0.2/32', 'fd00::1/64', 'fd00::2/128']);
  assert.deepEqual(sortAddresses(list, 'v2'), ['10.0.0.2/32', '10.0.0.1/24', 'fd00::2/128', 'fd00::1/64']);
});
