// What a kernel does with the steps of links. The one in memory and the real one are held to it, so that what random sequences show on the
// first is true of the second.
import assert from 'node:assert/strict';
import {
  type KernelLink,
  type KernelWireguard,
  keyFromText,
  type LinkChange,
  type LinkCreation,
  type LinkFeature,
  type LinkFeatures,
  presharedKeyDigest,
  type WireguardChange,
  type WireguardPeerChange,
} from '@nodewright/linux/network';
import type { NetworkStep } from '../domain/network-step.ts';
import { ownKey, peerKey, secretOf, wireguardKey } from './wireguard-keys.ts';

/** A kernel with two links of others, `wire0` and `wire2`, which are down. */
export interface LinksUnderTest {
  links(): readonly KernelLink[];
  featuresOf(link: KernelLink): LinkFeatures | undefined;
  /** @throws Error with the name of an errno */
  apply(step: NetworkStep): void;
}

export interface LinkCase {
  readonly name: string;
  /** Kinds that the kernel must have. */
  readonly kinds: readonly string[];
  readonly run: (kernel: Shorthand) => void;
}

/** Steps and questions in few words. */
export class Shorthand {
  readonly #kernel: LinksUnderTest;

  constructor(kernel: LinksUnderTest) {
    this.#kernel = kernel;
  }

  find(name: string): KernelLink | undefined {
    return this.#kernel.links().find((link) => link.name === name);
  }

  link(name: string): KernelLink {
    return this.find(name) ?? assert.fail(`no link ${name}`);
  }

  create(kind: string, name: string, rest: Partial<LinkCreation> = {}): void {
    const creation = { kind, name, hardwareAddress: '', parentIndex: 0, peerName: '', details: {}, ...rest };
    this.#kernel.apply({ kind: 'create-link', creation });
  }

  change(name: string, change: LinkChange): void {
    this.changeAt(this.link(name).index, change);
  }

  changeAt(linkIndex: number, change: LinkChange): void {
    this.#kernel.apply({ kind: 'change-link', linkName: '', linkIndex, change });
  }

  wireguard(name: string, wireguard: WireguardChange): void {
    this.wireguardAt(this.link(name).index, wireguard);
  }

  wireguardAt(linkIndex: number, wireguard: WireguardChange): void {
    this.#kernel.apply({ kind: 'configure-wireguard', linkName: '', linkIndex, wireguard });
  }

  /** The settings of a WireGuard device. */
  device(name: string): KernelWireguard {
    return this.link(name).wireguard ?? assert.fail(`no settings of ${name}`);
  }

  remove(name: string, linkIndex = this.link(name).index): void {
    this.#kernel.apply({ kind: 'remove-link', linkName: name, linkIndex });
  }

  up(name: string): void {
    this.#kernel.apply({ kind: 'set-link-up', linkName: name, linkIndex: this.link(name).index });
  }

  down(name: string): void {
    this.#kernel.apply({ kind: 'set-link-down', linkName: name, linkIndex: this.link(name).index });
  }

  isUp(name: string): boolean {
    return (this.link(name).flags & 1) !== 0;
  }

  feature(name: string, feature: string): LinkFeature | undefined {
    return this.#kernel.featuresOf(this.link(name))?.get(feature);
  }

  switch(name: string, features: Readonly<Record<string, boolean>>): void {
    const { index } = this.link(name);
    this.#kernel.apply({ kind: 'change-features', linkName: name, linkIndex: index, features });
  }

  refuses(code: RegExp, act: () => void): void {
    assert.throws(act, { message: code });
  }
}

const vlan = (id: number, protocol = 0x8100) => ({ vlan: { id, protocol } });

/** Cases about what belongs to the links that are there. */
const deviceCases: readonly LinkCase[] = [
  {
    name: 'an alias is set, replaced and removed, is no name, and has up to 255 bytes',
    kinds: [],
    run(kernel) {
      const aliasOf = (alias: string) => {
        kernel.change('wire0', { alias });
        return kernel.link('wire0').alias;
      };
      assert.equal(aliasOf('uplink'), 'uplink');
      assert.equal(kernel.find('uplink'), undefined);
      assert.equal(aliasOf('a name with spaces, wire2'), 'a name with spaces, wire2');
      assert.equal(aliasOf('ü'.repeat(127)), 'ü'.repeat(127));
      assert.equal(aliasOf('n'.repeat(255)), 'n'.repeat(255));
      kernel.refuses(/ERANGE|EINVAL/, () => aliasOf('n'.repeat(256)));
      kernel.change('wire2', { alias: 'n'.repeat(255) });
      assert.equal(kernel.link('wire2').alias, kernel.link('wire0').alias, 'two links may have one');
      assert.equal(aliasOf(''), '');
      assert.equal(aliasOf(''), '');
      kernel.change('wire2', { alias: '' });
    },
  },
  {
    name: 'features are switched by their names, and one that lacks what it needs is only asked for',
    kinds: [],
    run(kernel) {
      const [on, off] = [
        { isOn: true, isWanted: true, isFixed: false },
        { isOn: false, isWanted: false, isFixed: false },
      ];
      const [gather, segments, receive] = ['tx-scatter-gather', 'tx-tcp-segmentation', 'rx-gro'];
      const all = () => [gather, segments, receive].map((name) => kernel.feature('wire0', name));
      assert.deepEqual(all(), [on, on, off]);
      kernel.switch('wire0', { [receive]: true, [segments]: false });
      assert.deepEqual(all(), [on, off, on]);
      kernel.switch('wire0', { [receive]: false, [segments]: true });
      assert.deepEqual(all(), [on, on, off]);
      kernel.switch('wire0', { [gather]: false });
      assert.deepEqual(all(), [off, { isOn: false, isWanted: true, isFixed: false }, off]);
      kernel.switch('wire0', { [gather]: true });
      kernel.switch('wire0', { [gather]: true });
      assert.deepEqual(all(), [on, on, off]);
      assert.deepEqual(kernel.feature('wire0', 'tx-gso-robust'), {
        ...{ isOn: false, isWanted: false, isFixed: true },
      });
      kernel.switch('wire0', { 'tx-gso-robust': true });
      assert.equal(kernel.feature('wire0', 'tx-gso-robust')?.isWanted, false);
      assert.equal(kernel.feature('wire0', 'nosuch'), undefined);
      kernel.refuses(/EINVAL|ENOTSUP/, () => kernel.switch('wire0', { nosuch: true, [gather]: false }));
      assert.deepEqual(all(), [on, on, off]);
    },
  },
];

export const linkCases: readonly LinkCase[] = [
  ...deviceCases,
  {
    name: 'a new link is down, has the address that is given, and its name is taken',
    kinds: ['bridge'],
    run(kernel) {
      kernel.create('bridge', 'br0', { hardwareAddress: '02:00:00:00:0b:01' });
      const { kind, hardwareAddress, mtu, masterIndex } = kernel.link('br0');
      assert.deepEqual(
        { kind, hardwareAddress, mtu, masterIndex },
        { kind: 'bridge', hardwareAddress: '02:00:00:00:0b:01', mtu: 1500, masterIndex: 0 },
      );
      assert.equal(kernel.isUp('br0'), false);
      kernel.refuses(/EEXIST/, () => kernel.create('bridge', 'br0'));
      kernel.up('br0');
      kernel.up('br0');
      assert.ok(kernel.isUp('br0'));
      kernel.down('br0');
      assert.equal(kernel.isUp('br0'), false);
    },
  },
  {
    name: 'a kind that the kernel does not have is refused',
    kinds: [],
    run(kernel) {
      kernel.refuses(/ENOTSUP/, () => kernel.create('nosuchkind', 'x0'));
    },
  },
  {
    name: 'the two ends of a pair name each other, and leave together',
    kinds: ['veth'],
    run(kernel) {
      kernel.create('veth', 'va', { peerName: 'vb' });
      const [one, other] = [kernel.link('va'), kernel.link('vb')];
      assert.deepEqual([one.linkIndex, other.linkIndex], [other.index, one.index]);
      kernel.refuses(/EEXIST/, () => kernel.create('veth', 'vc', { peerName: 'va' }));
      kernel.remove('vb');
      assert.deepEqual([kernel.find('va'), kernel.find('vb')], [undefined, undefined]);
      // One that is not there is no error.
      kernel.remove('va', one.index);
    },
  },
  {
    name: 'the MTU, the address and multicast change in place, and a small MTU is refused',
    kinds: ['bridge'],
    run(kernel) {
      kernel.change('wire0', { mtu: 1400 });
      kernel.change('wire0', { hardwareAddress: '02:00:00:00:0c:01' });
      kernel.change('wire0', { multicast: false });
      const { mtu, hardwareAddress, flags } = kernel.link('wire0');
      assert.deepEqual([mtu, hardwareAddress, flags & 0x1000], [1400, '02:00:00:00:0c:01', 0]);
      kernel.change('wire0', { multicast: true });
      assert.notEqual(kernel.link('wire0').flags & 0x1000, 0);
      kernel.refuses(/EINVAL|ERANGE/, () => kernel.change('wire0', { mtu: 10 }));
      kernel.change('wire0', { mtu: 1500 });
    },
  },
  {
    name: 'a port joins one bridge, moves to another, and leaves when the bridge is removed',
    kinds: ['bridge'],
    run(kernel) {
      kernel.create('bridge', 'br0');
      kernel.create('bridge', 'br1', { details: { bridge: { spanningTree: true } } });
      assert.equal(kernel.link('br1').details.bridge?.spanningTree, true);
      kernel.change('wire0', { masterIndex: kernel.link('br0').index });
      kernel.change('wire0', { masterIndex: kernel.link('br1').index });
      assert.equal(kernel.link('wire0').masterIndex, kernel.link('br1').index);
      kernel.change('br1', { options: { kind: 'bridge', details: { bridge: { spanningTree: false } } } });
      assert.equal(kernel.link('br1').details.bridge?.spanningTree, false);
      kernel.remove('br1');
      assert.equal(kernel.link('wire0').masterIndex, 0);
      kernel.change('wire0', { masterIndex: kernel.link('br0').index });
      kernel.change('wire0', { masterIndex: 0 });
      assert.equal(kernel.link('wire0').masterIndex, 0);
      kernel.refuses(/ELOOP|EINVAL/, () => kernel.change('br0', { masterIndex: kernel.link('br0').index }));
      kernel.refuses(/ENOTSUP/, () => kernel.change('wire0', { masterIndex: kernel.link('wire2').index }));
    },
  },
  {
    name: 'what is asked of a link that is not there is an error',
    kinds: ['bridge'],
    run(kernel) {
      kernel.create('bridge', 'br0');
      const { index } = kernel.link('br0');
      kernel.remove('br0');
      kernel.refuses(/EINVAL/, () => kernel.change('wire0', { masterIndex: index }));
      kernel.refuses(/ENODEV/, () => kernel.changeAt(index, { mtu: 1400 }));
    },
  },
  {
    name: 'a VLAN has the MTU of what carries it at most, is unique there, and leaves with it',
    kinds: ['vlan', 'bridge'],
    run(kernel) {
      kernel.create('bridge', 'br0');
      const parentIndex = kernel.link('br0').index;
      kernel.create('vlan', 'br0.7', { parentIndex, details: vlan(7) });
      kernel.refuses(/EEXIST/, () => kernel.create('vlan', 'other', { parentIndex, details: vlan(7) }));
      kernel.create('vlan', 'other', { parentIndex, details: vlan(7, 0x88a8) });
      assert.deepEqual(kernel.link('br0.7').details, vlan(7));
      assert.equal(kernel.link('br0.7').linkIndex, parentIndex);
      kernel.refuses(/ERANGE/, () => kernel.change('br0.7', { mtu: 1600 }));
      kernel.change('br0', { mtu: 1400 });
      assert.equal(kernel.link('br0.7').mtu, 1400);
      kernel.remove('br0');
      assert.deepEqual([kernel.find('br0.7'), kernel.find('other')], [undefined, undefined]);
    },
  },
  {
    name: 'a VLAN comes up and goes down with the link that carries it, and does not come up alone',
    kinds: ['vlan', 'bridge'],
    run(kernel) {
      kernel.create('bridge', 'br0');
      const parentIndex = kernel.link('br0').index;
      kernel.create('vlan', 'br0.7', { parentIndex, details: vlan(7) });
      kernel.create('vlan', 'br0.7.9', { parentIndex: kernel.link('br0.7').index, details: vlan(9) });
      const areUp = () => ['br0', 'br0.7', 'br0.7.9'].map((name) => kernel.isUp(name));
      kernel.refuses(/ENETDOWN/, () => kernel.up('br0.7'));
      kernel.up('br0');
      assert.deepEqual(areUp(), [true, true, true]);
      kernel.down('br0.7');
      assert.deepEqual(areUp(), [true, false, false]);
      kernel.refuses(/ENETDOWN/, () => kernel.up('br0.7.9'));
      kernel.down('br0');
      kernel.up('br0');
      assert.deepEqual(areUp(), [true, true, true]);
      kernel.down('br0');
      assert.deepEqual(areUp(), [false, false, false]);
    },
  },
  {
    name: 'a bond takes links that are down, sets them up, and changes its mode only without them',
    kinds: ['bond'],
    run(kernel) {
      kernel.create('bond', 'bond0', { details: { bond: { mode: 1, miimon: 100 } } });
      const masterIndex = kernel.link('bond0').index;
      kernel.up('wire0');
      kernel.refuses(/EPERM/, () => kernel.change('wire0', { masterIndex }));
      kernel.down('wire0');
      kernel.change('wire0', { masterIndex });
      assert.ok(kernel.isUp('wire0'));
      const mode = (value: number) => ({ options: { kind: 'bond', details: { bond: { mode: value } } } });
      kernel.refuses(/ENOTEMPTY|EBUSY/, () => kernel.change('bond0', mode(4)));
      kernel.change('wire0', { masterIndex: 0 });
      kernel.change('bond0', mode(4));
      assert.equal(kernel.link('bond0').details.bond?.mode, 4);
    },
  },
  {
    name: 'a new WireGuard device has no keys, and takes a key, a port and a firewall mark',
    kinds: ['wireguard'],
    run(kernel) {
      kernel.create('wireguard', 'wg0');
      const { hardwareType, hardwareAddress, mtu } = kernel.link('wg0');
      assert.deepEqual([hardwareType, hardwareAddress, mtu], [65_534, '', 1420]);
      assert.deepEqual(kernel.device('wg0'), { publicKey: '', listenPort: 0, firewallMark: 0, peers: [] });
      kernel.wireguard('wg0', { privateKey: secretOf(ownKey.privateKey) });
      kernel.wireguard('wg0', { listenPort: 51_820, firewallMark: 0xffff_fffe });
      kernel.up('wg0');
      assert.deepEqual(kernel.device('wg0'), {
        ...{ publicKey: ownKey.publicKey, listenPort: 51_820, firewallMark: 0xffff_fffe, peers: [] },
      });
      kernel.wireguard('wg0', { listenPort: 51_821, firewallMark: 0 });
      kernel.refuses(/ENOTSUP/, () => kernel.change('wg0', { hardwareAddress: '02:00:00:00:0e:01' }));
      assert.deepEqual(kernel.device('wg0'), {
        ...{ publicKey: ownKey.publicKey, listenPort: 51_821, firewallMark: 0, peers: [] },
      });
    },
  },
  {
    name: 'a WireGuard device without a port gets one when it comes up',
    kinds: ['wireguard'],
    run(kernel) {
      kernel.create('wireguard', 'wg0');
      kernel.up('wg0');
      const { listenPort } = kernel.device('wg0');
      assert.ok(listenPort > 0);
      kernel.down('wg0');
      kernel.up('wg0');
      assert.ok(kernel.device('wg0').listenPort > 0);
    },
  },
  {
    name: 'a peer changes in each of its settings alone, and leaves',
    kinds: ['wireguard'],
    run(kernel) {
      kernel.create('wireguard', 'wg0');
      const preshared = wireguardKey(200);
      const change = (peer: Omit<WireguardPeerChange, 'publicKey'>) => {
        kernel.wireguard('wg0', { peers: [{ publicKey: peerKey(1), ...peer }] });
        return kernel.device('wg0').peers[0];
      };
      const bare = { publicKey: peerKey(1), presharedKeyDigest: '', endpoint: '', keepaliveSeconds: 0 };
      assert.deepEqual(change({}), { ...bare, allowedIps: [] });
      const allowedIps = ['10.1.0.0/16', '10.2.0.1/32', 'fd00:1::/64'];
      const whole = change({
        ...{ presharedKey: secretOf(preshared), endpoint: '192.0.2.1:51820', keepaliveSeconds: 25 },
        allowedIps: ['fd00:1::/64', '10.1.0.0/16', '10.2.0.1/32'],
      });
      const presharedDigest = presharedKeyDigest(keyFromText(preshared) ?? assert.fail());
      assert.deepEqual(whole, {
        ...{ publicKey: peerKey(1), presharedKeyDigest: presharedDigest, endpoint: '192.0.2.1:51820' },
        ...{ keepaliveSeconds: 25, allowedIps },
      });
      assert.equal(change({ presharedKey: 'none' })?.presharedKeyDigest, '');
      assert.equal(change({ keepaliveSeconds: 0 })?.keepaliveSeconds, 0);
      assert.equal(change({ endpoint: '[fd00::1]:1' })?.endpoint, '[fd00::1]:1');
      assert.equal(change({ endpoint: '[fe80::1%7]:65535' })?.endpoint, '[fe80::1%7]:65535');
      assert.deepEqual(change({ allowedIps: ['0.0.0.0/0'] })?.allowedIps, ['0.0.0.0/0']);
      assert.deepEqual(change({ allowedIps: [] })?.allowedIps, []);
      for (let round = 0; round < 2; round += 1) assert.equal(change({ isRemoved: true }), undefined);
    },
  },
  {
    name: 'a prefix belongs to the last peer that takes it, and a device is no peer of its own',
    kinds: ['wireguard'],
    run(kernel) {
      kernel.create('wireguard', 'wg0');
      const allowed = () =>
        kernel.device('wg0').peers.map(({ publicKey, allowedIps }) => [publicKey, allowedIps]);
      const [one = '', other = ''] = [peerKey(1), peerKey(2)].sort();
      kernel.wireguard('wg0', { peers: [{ publicKey: one, allowedIps: ['10.0.0.0/8', 'fd00::/8'] }] });
      kernel.wireguard('wg0', { peers: [{ publicKey: other, allowedIps: ['10.0.0.0/8'] }] });
      assert.deepEqual(allowed(), [
        [one, ['fd00::/8']],
        [other, ['10.0.0.0/8']],
      ]);
      kernel.wireguard('wg0', { peers: [{ publicKey: ownKey.publicKey, allowedIps: ['10.9.0.0/16'] }] });
      assert.equal(kernel.device('wg0').peers.length, 3);
      kernel.wireguard('wg0', { privateKey: secretOf(ownKey.privateKey) });
      assert.equal(kernel.device('wg0').peers.length, 2);
      kernel.wireguard('wg0', { peers: [{ publicKey: ownKey.publicKey, allowedIps: ['10.9.0.0/16'] }] });
      assert.equal(kernel.device('wg0').peers.length, 2);
      kernel.wireguard('wg0', {
        peers: [
          { publicKey: one, isRemoved: true },
          { publicKey: other, isRemoved: true },
        ],
      });
      assert.deepEqual(kernel.device('wg0').peers, []);
    },
  },
  {
    name: 'a WireGuard device takes more peers and prefixes than fit into one message, and gives them up again',
    kinds: ['wireguard'],
    run(kernel) {
      kernel.create('wireguard', 'wg0');
      const prefixes = (from: number, count: number) =>
        Array.from({ length: count }, (_, at) => `10.${(from + at) >> 8}.${(from + at) & 255}.0/24`).sort();
      const peers = Array.from({ length: 600 }, (_, at) => ({
        ...{ publicKey: peerKey(at), endpoint: `[fd00::${at + 1}]:51820`, keepaliveSeconds: 25 },
        ...{ presharedKey: secretOf(wireguardKey(at + 1)) },
        allowedIps: at === 0 ? prefixes(1000, 3000) : prefixes(at, 1),
      }));
      kernel.wireguard('wg0', { privateKey: secretOf(ownKey.privateKey), peers });
      const found = new Map(kernel.device('wg0').peers.map((peer) => [peer.publicKey, peer]));
      assert.equal(found.size, 600);
      for (const { publicKey, endpoint, allowedIps } of peers)
        assert.deepEqual(
          [found.get(publicKey)?.endpoint, found.get(publicKey)?.allowedIps],
          [endpoint, allowedIps],
        );
      const removals = peers.map(({ publicKey }) => ({ publicKey, isRemoved: true }));
      kernel.wireguard('wg0', { peers: removals });
      assert.deepEqual(kernel.device('wg0').peers, []);
    },
  },
  {
    name: 'peers are for WireGuard devices that are there',
    kinds: ['wireguard', 'bridge'],
    run(kernel) {
      kernel.create('bridge', 'br0');
      kernel.refuses(/ENOTSUP/, () => kernel.wireguard('br0', { listenPort: 1 }));
      kernel.create('wireguard', 'wg0');
      const { index } = kernel.link('wg0');
      kernel.remove('wg0');
      kernel.refuses(/ENODEV/, () => kernel.wireguardAt(index, { listenPort: 1 }));
    },
  },
];
