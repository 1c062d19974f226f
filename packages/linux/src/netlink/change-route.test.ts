// Routes and lasting addresses, in a namespace of its own. What `ip` shows is the judge.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { ipAddressText } from '../ip-address-text.ts';
import { loadNativeCalls, type NativeCalls } from '../native-calls.ts';
import { type AddressChange, decodeAddress } from './address-message.ts';
import { addAddress, encodeAddress, removeAddress, replaceAddress } from './change-address.ts';
import { addRoute, encodeRoute, removeRoute } from './change-route.ts';
import { enterOwnNamespace, ip, noOwnNamespace } from './own-namespace.ts';
import { readLinks, readRoutes } from './read-network.ts';
import { decodeRoute, type KernelRoute } from './route-message.ts';

const skip = noOwnNamespace;
let calls: NativeCalls;
let linkIndex: number;

before(async () => {
  if (skip) return;
  calls = await loadNativeCalls();
  enterOwnNamespace();
  ip('link add wire0 type veth peer name wire1');
  for (const name of ['wire0', 'wire1']) ip(`link set ${name} up`);
  linkIndex = readLinks(calls).find(({ name }) => name === 'wire0')?.index ?? assert.fail('no wire0');
});

const permanent = 0x80;
const address = (text: string, prefixLength: number, rest: Partial<AddressChange> = {}): AddressChange => ({
  ...{ linkIndex, family: text.includes(':') ? 10 : 2, prefixLength, address: text },
  ...{ scope: 0, flags: permanent, priority: 0, ...rest },
});
const route = (rest: Partial<KernelRoute>): KernelRoute => ({
  ...{ family: 2, destination: '', source: '', gateway: '', linkIndex, table: 254, priority: 1024, scope: 0 },
  ...{ type: 1, flags: 0, protocol: 4, mtu: 0, nextHops: [], isSelective: false, ...rest },
});
const shown = (words: string) => JSON.parse(ip(`-d -j ${words}`)) as Record<string, unknown>[];

test('addresses of both families are added, get another priority in place, and are removed', { skip }, () => {
  const given = [
    address('10.9.8.7', 24, { priority: 300 }),
    address('10.9.7.1', 31),
    address('fd00::7', 64, { flags: permanent | 0x02 }),
  ];
  for (let round = 0; round < 2; round += 1) for (const each of given) addAddress(calls, each);
  const list = () =>
    shown('addr show dev wire0').flatMap(({ addr_info }) =>
      (addr_info as Record<string, unknown>[])
        .filter(({ scope }) => scope === 'global')
        .map(({ local, prefixlen, broadcast, metric, nodad, valid_life_time: life }) => ({
          ...{ local, prefixlen, broadcast, metric, nodad, life },
        })),
    );
  const forEver = 0xffff_ffff;
  const plain = { broadcast: undefined, metric: undefined, nodad: undefined, life: forEver };
  assert.deepEqual(list(), [
    { ...plain, local: '10.9.8.7', prefixlen: 24, broadcast: '10.9.8.255', metric: 300 },
    { ...plain, local: '10.9.7.1', prefixlen: 31 },
    { ...plain, local: 'fd00::7', prefixlen: 64, nodad: true },
  ]);
  for (const each of given) replaceAddress(calls, { ...each, priority: 77 });
  assert.deepEqual(
    list().map(({ metric }) => metric),
    [77, 77, 77],
  );
  for (let round = 0; round < 2; round += 1) for (const each of given) removeAddress(calls, each);
  assert.deepEqual(list(), []);
  assert.throws(() => addAddress(calls, { ...address('10.9.8.7', 24), linkIndex: 4000 }), /ENODEV/);
});

test('routes of all forms are added, read back equal, and removed without touching their neighbours', {
  skip,
}, () => {
  addAddress(calls, address('10.9.8.7', 24));
  addAddress(calls, address('fd00::7', 64, { flags: permanent | 0x02 }));
  ip('route add 10.80.0.0/16 via 10.9.8.1 metric 7');
  const routes = [
    route({ gateway: '10.9.8.1', protocol: 3, mtu: 1400 }),
    route({ destination: '10.1.0.0/16', scope: 253, source: '10.9.8.7', table: 1000 }),
    route({ destination: '10.80.0.0/16', gateway: '10.9.8.1', priority: 8 }),
    route({ destination: '10.2.0.0/16', type: 6, linkIndex: 0 }),
    route({ destination: '10.3.0.0/16', gateway: 'fd00::1' }),
    route({
      ...{ destination: '10.4.0.0/16', linkIndex: 0 },
      nextHops: [
        { gateway: '10.9.8.1', linkIndex, weight: 2 },
        { gateway: '10.9.8.2', linkIndex, weight: 1 },
      ],
    }),
    route({ family: 10, gateway: 'fd00::1' }),
    route({ family: 10, destination: 'fd01::/48', priority: 5 }),
  ];
  // Those of the kernel for IPv6 come when the link is ready, at any moment.
  const shownOfIpv4 = () => shown('-4 route show table all').length;
  const before = shownOfIpv4();
  for (const each of routes) addRoute(calls, each);
  const found = readRoutes(calls);
  for (const each of routes)
    assert.ok(
      found.some((one) => JSON.stringify({ ...one, flags: 0 }) === JSON.stringify(each)),
      JSON.stringify([each, found.filter(({ destination }) => destination === each.destination)]),
    );
  assert.throws(() => addRoute(calls, route({ gateway: '10.9.8.2' })), /EEXIST/);
  assert.throws(
    () => addRoute(calls, route({ gateway: '192.0.2.1', priority: 1 })),
    /^Fault: netlink: the kernel answers with ENETUNREACH \(Nexthop has invalid gateway\)$/,
  );
  for (let round = 0; round < 2; round += 1) for (const each of routes) removeRoute(calls, each);
  assert.equal(shownOfIpv4(), before);
  assert.ok(
    !readRoutes(calls).some(({ destination, priority }) => destination === 'fd01::/48' && priority === 5),
  );
  assert.match(ip('route show'), /10\.80\.0\.0\/16 via 10\.9\.8\.1 .*metric 7/);
});

const plainRecord = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(model, { noNullPrototype: true });
const number32 = fc.nat(0xffff_ffff);
const text = (bytes: number) => fc.uint8Array({ minLength: bytes, maxLength: bytes }).map(ipAddressText);

test('encodeAddress() and encodeRoute() write what is read back equal', () => {
  const addresses = plainRecord({
    ...{ linkIndex: number32, prefixLength: fc.nat(32), scope: fc.nat(255), flags: number32 },
    ...{ priority: number32, address: text(4), family: fc.constant(2) },
  });
  fc.assert(
    fc.property(addresses, (change) => {
      const { local, broadcast, anycast, multicast, ...read } = decodeAddress(encodeAddress(change));
      assert.deepEqual(read, change);
      assert.equal(local, change.address);
    }),
  );
  const hop = plainRecord({
    ...{ gateway: text(4), linkIndex: fc.nat(0x7fff_ffff), weight: fc.integer({ min: 1, max: 256 }) },
  });
  const routes = plainRecord({
    ...{ family: fc.constant(2), source: text(4), gateway: text(4), linkIndex: number32, table: number32 },
    destination: fc.tuple(text(4), fc.nat(32)).map(([network, length]) => `${network}/${length}`),
    ...{ priority: number32, scope: fc.nat(255), type: fc.nat(255), flags: fc.constant(0) },
    ...{ protocol: fc.nat(255), mtu: number32, nextHops: fc.array(hop, { maxLength: 3 }) },
    isSelective: fc.constant(false),
  });
  fc.assert(fc.property(routes, (each) => assert.deepEqual(decodeRoute(encodeRoute(each)), each)));
});
