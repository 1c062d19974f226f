// Changes to links: on a kernel, in a namespace of its own, and byte by byte for kinds that the kernel of the test may lack.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadNativeCalls } from '../native-calls.ts';
import { attributesOf } from './attributes.ts';
import {
  changeLink,
  createLink,
  encodeLinkChange,
  encodeLinkCreation,
  removeLink,
  setLinkUp,
} from './change-link.ts';
import { encodeLinkDetails, linkDetailsOf } from './link-details.ts';
import { enterOwnNamespace, ip, noOwnNamespace } from './own-namespace.ts';
import { readLinks } from './read-network.ts';

const plain = { hardwareAddress: '', parentIndex: 0, peerName: '', details: {} };
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
/** Of 16 bytes: family, type, index, flags, mask. */
const header = (index = '00000000', flags = '00000000', mask = '00000000') =>
  `00000000${index}${flags}${mask}`;
const spaceless = (text: string) => text.replaceAll(/\s/g, '');

test('a link is set up, twice without an error', { skip: noOwnNamespace }, async () => {
  const calls = await loadNativeCalls();
  enterOwnNamespace();
  ip('link add wire0 type veth peer name wire1');
  ip('link set wire1 up');
  const index = readLinks(calls).find(({ name }) => name === 'wire0')?.index ?? assert.fail('no wire0');
  for (let round = 0; round < 2; round += 1) setLinkUp(calls, index);
  assert.match(ip('link show dev wire0'), /state UP/);
  assert.throws(() => setLinkUp(calls, 4_000), { kind: 'unavailable', message: /ENODEV/ });
});

test('a bridge and a pair are made as asked, changed and removed', { skip: noOwnNamespace }, async () => {
  const calls = await loadNativeCalls();
  enterOwnNamespace();
  const indexOf = (wanted: string) =>
    readLinks(calls).find(({ name }) => name === wanted)?.index ?? assert.fail(`no ${wanted}`);
  const address = '02:00:00:00:00:77';
  const details = { bridge: { spanningTree: true } };
  createLink(calls, { ...plain, name: 'br0', kind: 'bridge', hardwareAddress: address, details });
  createLink(calls, { ...plain, name: 'end0', kind: 'veth', peerName: 'end1' });
  assert.match(ip('-d link show dev br0'), /02:00:00:00:00:77[\s\S]*stp_state 1/);
  assert.match(ip('link show dev end0'), /end0@end1/);
  changeLink(calls, indexOf('end0'), { masterIndex: indexOf('br0'), mtu: 1400, alias: 'uplink' });
  assert.match(ip('link show dev end0'), /mtu 1400.* master br0[\s\S]*alias uplink/);
  changeLink(calls, indexOf('end0'), { masterIndex: 0, alias: '', multicast: false, up: true });
  assert.doesNotMatch(ip('link show dev end0'), /master|alias|MULTICAST/);
  changeLink(calls, indexOf('br0'), {
    options: { kind: 'bridge', details: { bridge: { spanningTree: false } } },
  });
  assert.match(ip('-d link show dev br0'), /stp_state 0/);
  for (let round = 0; round < 2; round += 1) {
    const index = readLinks(calls).find(({ name }) => name === 'end1')?.index ?? 4_000;
    removeLink(calls, index);
  }
  assert.doesNotMatch(ip('link show'), /end0|end1/);
});

// What `ip link add` of iproute2 sends for these links, without what it fills in by itself. Numbers: <linux/if_link.h>.
test('encodeLinkCreation() writes a VLAN with its parent, and its protocol in network byte order', () => {
  const creation = { ...plain, name: 'v7', kind: 'vlan', parentIndex: 3 };
  assert.equal(
    hex(encodeLinkCreation({ ...creation, details: { vlan: { id: 7, protocol: 0x88a8 } } })),
    spaceless(`${header()}
      0700 0300 763700 00  0800 0500 03000000
      2400 1200  0900 0100 766c616e00 000000
        1400 0200  0600 0100 0700 0000  0600 0500 88a8 0000`),
  );
});

test('encodeLinkCreation() writes a VRF with its table, and a dummy with its address and no data', () => {
  assert.equal(
    hex(encodeLinkCreation({ ...plain, name: 'red', kind: 'vrf', details: { vrfTable: 0x12345 } })),
    spaceless(`${header()}
      0800 0300 72656400
      1800 1200  0800 0100 76726600  0c00 0200  0800 0100 45230100`),
  );
  const dummy = { ...plain, name: 'd0', kind: 'dummy', hardwareAddress: '02:00:00:00:00:07' };
  assert.equal(
    hex(encodeLinkCreation(dummy)),
    spaceless(`${header()}
      0700 0300 643000 00  0a00 0100 020000000007 0000
      1000 1200  0a00 0100 64756d6d7900 0000`),
  );
});

test('encodeLinkChange() writes options of a bond in their sizes, with numbered targets', () => {
  const bond = { mode: 1, miimon: 100, adActorSysPrio: 0xfffe, arpIpTargets: ['10.0.0.1', '10.0.0.2'] };
  assert.equal(
    hex(encodeLinkChange(9, { options: { kind: 'bond', details: { bond } } })),
    spaceless(`${header('09000000')}
      4000 1200  0900 0100 626f6e6400 000000
        3000 0200  0500 0100 01 000000  0800 0300 64000000  0600 1800 feff 0000
          1400 0800  0800 0000 0a000001  0800 0100 0a000002`),
  );
});

test('encodeLinkChange() names only the flags that change', () => {
  assert.equal(
    hex(encodeLinkChange(2, { up: false, multicast: true })),
    header('02000000', '00100000', '01100000'),
  );
  assert.equal(hex(encodeLinkChange(2, { masterIndex: 0 })), `${header('02000000')}08000a0000000000`);
});

test('linkDetailsOf() reads what encodeLinkDetails() writes', () => {
  const bond = {
    ...{ mode: 4, miimon: 100, upDelay: 200, downDelay: 300, useCarrier: 1, arpInterval: 5, arpValidate: 3 },
    ...{ arpAllTargets: 1, primaryIndex: 70_000, primaryReselect: 2, failOverMac: 1, xmitHashPolicy: 1 },
    ...{ resendIgmp: 255, numPeerNotif: 3, allSlavesActive: 1, minLinks: 2, lpInterval: 70_000 },
    ...{ packetsPerSlave: 65_535, lacpRate: 1, adSelect: 2, adActorSysPrio: 65_535, adUserPortKey: 1023 },
    ...{ tlbDynamicLb: 1, peerNotifyDelay: 100, lacpActive: 1, missedMax: 255 },
    ...{ arpIpTargets: ['10.0.0.1'], nsIp6Targets: ['fd00::1', 'fd00::2'] },
  };
  const all = [
    ['bond', { bond }],
    ['bridge', { bridge: { spanningTree: true, vlanFiltering: true } }],
    ['vlan', { vlan: { id: 4094, protocol: 0x8100 } }],
    ['vrf', { vrfTable: 4_000_000_000 }],
  ] as const;
  for (const [kind, details] of all)
    assert.deepEqual(linkDetailsOf(kind, attributesOf(encodeLinkDetails(details))), details);
});
