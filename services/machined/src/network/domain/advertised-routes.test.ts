import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KernelAddress, KernelRoute } from '@nodewright/linux/network';
import { fakeLink } from '../controllers/testing/fake-network.ts';
import { acceptingLinks, acceptParameterIds } from './accepting-links.ts';
import {
  guardAdvertisedRoutes,
  mostAdvertisedRoutes,
  type RouteGuardMemory,
  refusalMs,
} from './advertised-routes.ts';
import { plainLink } from './link-documents.ts';

const plain: KernelRoute = {
  ...{ family: 10, destination: '', source: '', gateway: '', linkIndex: 2, table: 254, priority: 256 },
  ...{ scope: 0, type: 1, flags: 0, protocol: 2, mtu: 0, nextHops: [], isSelective: false },
};
const toRouter: KernelRoute = { ...plain, gateway: 'fe80::1', protocol: 9, priority: 1024 };
const onLink = (network: string): KernelRoute => ({ ...plain, destination: network });
const address: KernelAddress = {
  ...{ linkIndex: 2, family: 10, prefixLength: 64, scope: 0, flags: 0, address: 'fd99::2', local: '' },
  ...{ broadcast: '', anycast: '', multicast: '', priority: 0 },
};
const own = [onLink('fd99::/64'), onLink('fe80::/64')];
const others: readonly KernelRoute[] = [
  { ...onLink('fd01::/64'), protocol: 4 },
  { ...onLink('fd02::/64'), linkIndex: 3 },
  { ...onLink('ff00::/8'), table: 255, type: 5 },
  { ...plain, family: 2, destination: '10.0.0.0/8' },
];
const flood = Array.from({ length: mostAdvertisedRoutes + 1 }, (_, index) => onLink(`fd66:${index}::/64`));
const guard = (memory: RouteGuardMemory, routes: readonly KernelRoute[], nowMs: number) =>
  guardAdvertisedRoutes(memory, { linkIndexes: [2], routes, addresses: [address], nowMs });

test('routes of advertisements stay as long as there are not too many', () => {
  const plan = guard(new Map(), [...own, toRouter, ...flood.slice(2), ...others], 0);
  assert.deepEqual([plan.refused.size, plan.flooded, plan.surplus, plan.dueMs], [0, [], [], undefined]);
});

test('a flooded link accepts nothing for a while, and keeps the routes from before', () => {
  const { memory } = guard(new Map(), [...own, toRouter, onLink('fd98::/64')], 0);
  const all = [...own, toRouter, onLink('fd98::/64'), ...flood, ...others];
  const plan = guard(memory, all, 1000);
  assert.deepEqual(plan.flooded, [{ linkIndex: 2, routeCount: mostAdvertisedRoutes + 3 }]);
  assert.deepEqual([[...plan.refused], plan.dueMs], [[2], 1000 + refusalMs]);
  assert.deepEqual(plan.surplus, flood);
  // What the kernel made before it refused is removed as well, and said once.
  const next = guard(plan.memory, [...own, toRouter, ...flood.slice(0, 3)], 2000);
  assert.deepEqual([next.flooded, next.surplus, next.dueMs], [[], flood.slice(0, 3), 1000 + refusalMs]);
  const last = guard(next.memory, [...own, toRouter], 1000 + refusalMs);
  assert.deepEqual([last.refused.size, last.surplus, last.dueMs], [0, [], undefined]);
});

test('a link that is flooded when it is first looked at keeps no route of it', () => {
  const { surplus } = guard(new Map(), [...own, toRouter, ...flood], 0);
  assert.deepEqual(surplus, [toRouter, ...flood]);
});

test('links accept advertisements when something brings them up, and members of a bond or a bridge do not', () => {
  const links = ['eth0', 'eth1', 'eth2', 'eth3', 'pod0'].map((name, index) => fakeLink(index + 2, name));
  const up = (name: string) => ({ ...plainLink(name, 'operator'), up: true });
  const wanted = [
    ...[up('lo'), up('eth0'), plainLink('eth1', 'configuration'), up('missing0')],
    { ...up('eth2'), bondSlave: { masterName: 'bond0', slaveIndex: 0 } },
    { ...up('eth3'), bridgeSlave: { masterName: 'br0' } },
  ];
  const lo = fakeLink(1, 'lo', { hardwareType: 772 });
  const names = acceptingLinks(wanted, [lo, ...links]).map(({ link, layer }) => [link.name, layer]);
  assert.deepEqual(names, [['eth0', 'operator']]);
});

test('a kernel parameter of the configuration is found by both ways to write it', () => {
  assert.deepEqual(acceptParameterIds('eth0.7'), [
    'proc.sys.net.ipv6.conf.eth0/7.accept_ra',
    'proc.sys.net/ipv6/conf/eth0.7/accept_ra',
  ]);
});

test('a route that one look has missed is still known when the flood is seen', () => {
  // While routes are made without a pause, the kernel's list may miss some.
  let { memory } = guard(new Map(), [...own, toRouter], 0);
  memory = guard(memory, [...own, ...flood.slice(0, 10)], 1000).memory;
  const { surplus } = guard(memory, [...own, toRouter, ...flood], 2000);
  assert.ok(!surplus.includes(toRouter));
  assert.deepEqual(surplus, flood.slice(10));
});

test('a route that has been gone for long is not known any more, and those that are known have a limit', () => {
  const { memory } = guard(new Map(), [...own, toRouter], 0);
  // The last look is as old as the network is calm.
  const once = guard(memory, own, 10 * refusalMs).memory;
  assert.ok(!guard(once, [...own, toRouter, ...flood], 10 * refusalMs + 1).surplus.includes(toRouter));
  const later = guard(once, own, 11 * refusalMs).memory;
  assert.ok(guard(later, [...own, toRouter, ...flood], 11 * refusalMs + 1).surplus.includes(toRouter));
  // Other routes with each look, as many as there may be: what stays is no flood when the link accepts again.
  let many = guard(memory, [...own, toRouter], 0).memory;
  for (let look = 0; look < 20; look += 1)
    many = guard(
      many,
      flood.slice(0, mostAdvertisedRoutes).map((route) => ({ ...route, priority: look })),
      look,
    ).memory;
  const all = Array.from({ length: 20 }, (_, priority) =>
    flood.map((route) => ({ ...route, priority })),
  ).flat();
  const { surplus } = guard(many, [toRouter, ...all], 100);
  assert.equal(1 + all.length - surplus.length, mostAdvertisedRoutes);
  assert.ok(!surplus.includes(toRouter));
});
