import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { filterAddresses } from '../../network/domain/node-addresses.ts';
import {
  advertisedAddresses,
  etcdUrl,
  listenAddresses,
  localClientAddress,
  splitSubnets,
} from './addresses.ts';

const config = (advertise: readonly string[] = [], listen: readonly string[] = advertise) => {
  const [a, l] = [splitSubnets(advertise), splitSubnets(listen)];
  return {
    advertiseValidSubnets: a.valid,
    advertiseExcludeSubnets: a.excluded,
    listenValidSubnets: l.valid,
    listenExcludeSubnets: l.excluded,
    image: '',
    extraArgs: {},
  };
};
const facts = {
  current: ['10.0.0.5/24', '192.168.1.5/24', '203.0.113.9/32', 'fd00::5/64', 'fd12:3456:0:103::1/64'],
  routed: ['10.0.0.5/24', '192.168.1.5/24', 'fd00::5/64'],
};

test('advertisedAddresses() returns the first routed address unless the configuration selects subnets', () => {
  const table: [subnets: string[], wanted: string[]][] = [
    [[], ['10.0.0.5']],
    [['!10.0.0.0/8'], ['192.168.1.5']],
    [['192.168.0.0/16'], ['192.168.1.5']],
    [
      ['0.0.0.0/0', '!10.0.0.0/24'],
      ['192.168.1.5', '203.0.113.9'],
    ],
    [['203.0.113.9'], ['203.0.113.9']],
    [['fd00::/8'], ['fd00::5']],
    [['172.16.0.0/12'], []],
  ];
  for (const [subnets, wanted] of table) {
    assert.deepEqual(advertisedAddresses(config(subnets), facts), wanted, subnets.join());
  }
  assert.deepEqual(advertisedAddresses(config(), { current: [], routed: [] }), []);
});

test("listenAddresses() returns the wildcard, the addresses in the configured subnets, or only the node's own", () => {
  const only6 = { current: ['fd00::5/64'], routed: ['fd00::5/64'] };
  const own = ['127.4.5.2'];
  assert.deepEqual(
    [
      listenAddresses(config(), facts, undefined),
      listenAddresses(config(), only6, undefined),
      listenAddresses(config(), { current: [], routed: [] }, undefined),
      listenAddresses(config(['10.0.0.0/8']), facts, undefined),
      listenAddresses(config([], ['fd00::/64']), facts, undefined),
      listenAddresses(config(['172.16.0.0/12']), facts, undefined),
      listenAddresses(config(['10.0.0.0/8']), facts, own),
    ],
    [
      { peer: ['0.0.0.0'], client: ['0.0.0.0'] },
      { peer: ['::'], client: ['::'] },
      { peer: [], client: [] },
      { peer: ['10.0.0.5'], client: ['10.0.0.5', '127.0.0.1'] },
      { peer: ['fd00::5'], client: ['fd00::5', '::1'] },
      { peer: [], client: [] },
      { peer: own, client: own },
    ],
  );
});

test('localClientAddress() returns an address that the listener accepts', () => {
  const table: [string[], string][] = [
    [['0.0.0.0'], '127.0.0.1'],
    [['::'], '::1'],
    [['10.0.0.5', '127.0.0.1'], '127.0.0.1'],
    [['127.4.5.2'], '127.4.5.2'],
  ];
  for (const [listen, wanted] of table) assert.equal(localClientAddress(listen), wanted);
  assert.equal(etcdUrl('fd00::5', 2380), 'https://[fd00::5]:2380');
});

test('advertisedAddresses() returns only allowed addresses of the node', () => {
  const address = fc.tuple(fc.nat(3), fc.nat(3)).map(([a, b]) => `10.${a}.0.${b + 1}/24`);
  const subnet = fc.tuple(fc.boolean(), fc.nat(3)).map(([not, a]) => `${not ? '!' : ''}10.${a}.0.0/16`);
  fc.assert(
    fc.property(fc.array(address), fc.array(subnet), (current, subnets) => {
      const { valid, excluded } = splitSubnets(subnets);
      const found = advertisedAddresses(config(subnets), { current, routed: current });
      const allowed = filterAddresses(current, { includeSubnets: valid, excludeSubnets: excluded });
      const plain = allowed.map((text) => text.split('/')[0]);
      assert.ok(found.every((text) => plain.includes(text)));
      assert.equal(found.length === 0, allowed.length === 0);
    }),
  );
});
