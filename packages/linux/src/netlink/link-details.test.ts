import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributesOf, encodeAttribute } from './attributes.ts';
import { linkDetailsOf } from './link-details.ts';

const data = (...attributes: (readonly [type: number, ...bytes: number[]])[]) =>
  attributesOf(
    Buffer.concat(attributes.map(([type, ...bytes]) => encodeAttribute(type, Uint8Array.from(bytes)))),
  );

test('linkDetailsOf() reads a VLAN, whose protocol is in network byte order', () => {
  assert.deepEqual(linkDetailsOf('vlan', data([1, 7, 0], [5, 0x88, 0xa8])), {
    vlan: { id: 7, protocol: 0x88a8 },
  });
});

test('linkDetailsOf() reads a bridge and a VRF', () => {
  assert.deepEqual(linkDetailsOf('bridge', data([5, 1, 0, 0, 0], [7, 1])), {
    bridge: { spanningTree: true, vlanFiltering: true },
  });
  assert.deepEqual(linkDetailsOf('vrf', data([1, 0xf9, 1, 0, 0])), { vrfTable: 505 });
});

test('linkDetailsOf() reads the attributes of a bond that the kernel sends', () => {
  const targets = encodeAttribute(0, Uint8Array.of(10, 0, 0, 1));
  const bond = data([1, 4], [3, 100, 0, 0, 0], [14, 1], [21, 1], [24, 0xff, 0xff], [8, ...targets]);
  assert.deepEqual(linkDetailsOf('bond', bond), {
    bond: {
      ...{ mode: 4, miimon: 100, xmitHashPolicy: 1, lacpRate: 1, adActorSysPrio: 65_535 },
      ...{ arpIpTargets: ['10.0.0.1'], nsIp6Targets: [] },
    },
  });
});

test('linkDetailsOf() returns nothing for other kinds', () => {
  assert.deepEqual(linkDetailsOf('veth', data([1, 7])), {});
  assert.deepEqual(linkDetailsOf('constructor', data()), {});
});
