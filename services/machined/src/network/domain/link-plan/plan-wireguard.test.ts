// The plan for a WireGuard device, case by case. Random sequences are in plan-links.property.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import type { KernelWireguard } from '@nodewright/linux/network';
import { ConfigReader, wireguardLimits } from '@nodewright/machine-config';
import type { LinkSpecSpec, WireguardPeer, WireguardSpec } from '@nodewright/state/kinds';
import { fakeLink } from '../../controllers/testing/fake-network.ts';
import { configured, newWireguard } from '../../testing/simulated-wireguard.ts';
import { ownKey, peerKey, secretOf, wireguardKey } from '../../testing/wireguard-keys.ts';
import { deviceAddresses, deviceLinks } from '../device-configs.ts';
import { linkSpecsOf, plainLink } from '../link-documents.ts';
import { mergeLinks } from '../merge-layers.ts';
import { describeStep, type NetworkPlan, type NetworkStep } from '../network-step.ts';
import { planLinks } from '../plan-links.ts';
import { type LinkMemory, noLinkMemory } from './link-memory.ts';
import { hostsOfEndpoints } from './wireguard-settings.ts';

const index = 5;
const peer = (number: number, rest: Partial<WireguardPeer> = {}): WireguardPeer => ({
  ...{ publicKey: peerKey(number), presharedKey: '', endpoint: '', persistentKeepaliveInterval: 0 },
  ...{ allowedIPs: [], ...rest },
});

const specOf = (
  rest: Partial<WireguardSpec>,
  layer: LinkSpecSpec['layer'] = 'configuration',
): LinkSpecSpec => ({
  ...plainLink('wg0', layer),
  ...{ logical: true, kind: 'wireguard', type: 'nohdr', up: true },
  wireguard: { privateKey: '', publicKey: '', listenPort: 0, firewallMark: 0, peers: [], ...rest },
});

/** One device, and the plans for it. */
class Bench {
  device: KernelWireguard | undefined = newWireguard;
  memory: LinkMemory = noLinkMemory;
  names = new Map<string, string>();

  plan(spec: LinkSpecSpec): NetworkPlan<LinkMemory> {
    const link = fakeLink(index, 'wg0', { kind: 'wireguard', flags: 0x91, hardwareAddress: '' });
    const plan = planLinks({
      ...{ wanted: [spec], memory: this.memory, bringsUpAll: false, obstacles: new Map() },
      links: [fakeLink(3, 'eth0'), this.device === undefined ? link : { ...link, wireguard: this.device }],
      endpointAddresses: this.names,
    });
    this.memory = plan.owned;
    return plan;
  }

  /** Takes the steps, and plans until nothing is left. */
  settle(spec: LinkSpecSpec): readonly NetworkStep[] {
    const { steps } = this.plan(spec);
    for (const step of steps) this.#take(step);
    assert.deepEqual(this.plan(spec).steps, [], 'a second pass plans nothing');
    return steps;
  }

  #take(step: NetworkStep): void {
    assert.equal(step.kind, 'configure-wireguard');
    if ('wireguard' in step) this.device = configured(this.device ?? assert.fail(), step.wireguard);
  }

  endpointOf(number: number): string | undefined {
    return this.device?.peers.find(({ publicKey }) => publicKey === peerKey(number))?.endpoint;
  }
}

test('a tunnel gets its keys and its peers from a document, with several addresses beside them', () => {
  const value = {
    ...{ apiVersion: 'v1alpha1', kind: 'WireguardConfig', name: 'wg0', mtu: 1500 },
    ...{ privateKey: ownKey.privateKey, listenPort: 51_820, firewallMark: 7 },
    addresses: [{ address: '10.9.0.1/24' }, { address: 'fd09::1/64' }],
    peers: [
      {
        ...{ publicKey: peerKey(1), presharedKey: wireguardKey(9), endpoint: '192.0.2.1:51820' },
        ...{ persistentKeepaliveInterval: '25s', allowedIPs: ['10.9.0.0/24', 'fd09::/64'] },
      },
    ],
  };
  const [spec = assert.fail()] = linkSpecsOf(new ConfigReader([{ kind: 'WireguardConfig', value }]));
  const bench = new Bench();
  const steps = bench.settle(spec);
  assert.deepEqual(steps.map(describeStep), [
    'configure-wireguard wg0 its private key, port 51820, firewall mark 7, 1 peer',
  ]);
  assert.equal(bench.device?.publicKey, ownKey.publicKey);
  assert.deepEqual(
    bench.device?.peers.map(({ presharedKeyDigest: digest, ...rest }) => [digest !== '', rest]),
    [
      [
        true,
        {
          ...{ publicKey: peerKey(1), endpoint: '192.0.2.1:51820', keepaliveSeconds: 25 },
          allowedIps: ['10.9.0.0/24', 'fd09::/64'],
        },
      ],
    ],
  );
});

test('a tunnel of the old section has the same settings, and its addresses', () => {
  const value = {
    machine: {
      network: {
        interfaces: [
          {
            ...{ interface: 'wg0', mtu: 1400, addresses: ['10.9.0.1/24', 'fd09::1/64'] },
            wireguard: {
              ...{ privateKey: ownKey.privateKey, listenPort: 51_821, firewallMark: 8 },
              peers: [
                {
                  ...{ publicKey: peerKey(1), endpoint: '[fd00::1]:51820', allowedIPs: ['10.9.0.5/24'] },
                  persistentKeepaliveInterval: '1500ms',
                },
              ],
            },
          },
        ],
      },
    },
  };
  const [entry = assert.fail()] = new ConfigReader([{ kind: 'v1alpha1', value }])
    .documents('v1alpha1')
    .flatMap((document) => document.items('machine', 'network', 'interfaces'));
  const devices = [{ name: 'wg0', entry }];
  const [spec = assert.fail()] = deviceLinks(devices, []);
  assert.deepEqual([spec.kind, spec.type, spec.mtu], ['wireguard', 'nohdr', 1400]);
  assert.deepEqual(
    deviceAddresses(devices).map(({ address, linkName }) => [address, linkName]),
    [
      ['10.9.0.1/24', 'wg0'],
      ['fd09::1/64', 'wg0'],
    ],
  );
  const bench = new Bench();
  bench.settle({ ...spec, mtu: 0 });
  assert.deepEqual(bench.device, {
    ...{ publicKey: ownKey.publicKey, listenPort: 51_821, firewallMark: 8 },
    peers: [
      {
        ...{
          publicKey: peerKey(1),
          presharedKeyDigest: '',
          endpoint: '[fd00::1]:51820',
          keepaliveSeconds: 1,
        },
        // The kernel keeps no host bits.
        allowedIps: ['10.9.0.0/24'],
      },
    ],
  });
});

test('what leaves the specification leaves the kernel: preshared key, keep-alive, prefixes, mark, peer', () => {
  const bench = new Bench();
  const whole = peer(1, {
    ...{ presharedKey: wireguardKey(9), persistentKeepaliveInterval: 25_000, allowedIPs: ['10.0.0.0/8'] },
  });
  bench.settle(specOf({ privateKey: ownKey.privateKey, firewallMark: 7, peers: [whole, peer(2)] }));
  const steps = bench.settle(specOf({ privateKey: ownKey.privateKey, peers: [peer(1)] }));
  assert.deepEqual(steps, [
    {
      ...{ kind: 'configure-wireguard', linkName: 'wg0', linkIndex: index },
      wireguard: {
        firewallMark: 0,
        peers: [
          { publicKey: peerKey(2), isRemoved: true },
          { publicKey: peerKey(1), presharedKey: 'none', keepaliveSeconds: 0, allowedIps: [] },
        ],
      },
    },
  ]);
});

test('without a port the device keeps the one that it has, also when something else changes', () => {
  const bench = new Bench();
  bench.device = { ...newWireguard, listenPort: 40_005 };
  bench.settle(specOf({ privateKey: ownKey.privateKey, firewallMark: 7 }));
  assert.equal(bench.device.listenPort, 40_005);
});

test('a peer that has moved is not put back, until its endpoint changes in the specification', () => {
  const bench = new Bench();
  const at = (endpoint: string) => specOf({ peers: [peer(1, { endpoint })] });
  const moves = () => {
    bench.device = configured(bench.device ?? assert.fail(), {
      peers: [{ publicKey: peerKey(1), endpoint: '203.0.113.9:9' }],
    });
  };
  bench.settle(at('192.0.2.1:51820'));
  moves();
  for (let pass = 0; pass < 3; pass += 1) assert.deepEqual(bench.plan(at('192.0.2.1:51820')).steps, []);
  // Something else about the peer changes.
  bench.settle(specOf({ peers: [peer(1, { endpoint: '192.0.2.1:51820', allowedIPs: ['10.0.0.0/8'] })] }));
  assert.equal(bench.endpointOf(1), '203.0.113.9:9');
  bench.settle(at('192.0.2.2:51820'));
  assert.equal(bench.endpointOf(1), '192.0.2.2:51820');
  moves();
  bench.settle(at('192.0.2.1:51820'));
  assert.equal(bench.endpointOf(1), '192.0.2.1:51820');
  // No endpoint keeps what there is.
  bench.settle(specOf({ peers: [peer(1)] }));
  assert.equal(bench.endpointOf(1), '192.0.2.1:51820');
});

test('an endpoint that the kernel did not take is sent again, and so is that of a peer that somebody removed', () => {
  const bench = new Bench();
  const spec = specOf({ peers: [peer(1, { endpoint: '192.0.2.1:51820' })] });
  for (let pass = 0; pass < 2; pass += 1)
    assert.deepEqual(bench.plan(spec).steps.map(describeStep), ['configure-wireguard wg0 1 peer']);
  bench.settle(spec);
  bench.device = { ...(bench.device ?? assert.fail()), peers: [] };
  bench.settle(spec);
  assert.equal(bench.endpointOf(1), '192.0.2.1:51820');
});

test('an endpoint with a name waits for its address, and one with a zone has the index of its link', () => {
  const bench = new Bench();
  const peers = [
    peer(1, { endpoint: 'vpn.lab:51820' }),
    peer(2, { endpoint: '[fe80::1%eth0]:51820' }),
    peer(3, { endpoint: '[fe80::1%eth9]:51820' }),
    peer(4, { endpoint: '[::ffff:192.0.2.4]:1' }),
  ];
  assert.deepEqual(hostsOfEndpoints([{ peers }]), ['vpn.lab']);
  const first = bench.plan(specOf({ peers }));
  assert.deepEqual(first.waiting, [
    `link wg0: peer ${peerKey(1)}: the address of vpn.lab is not known`,
    `link wg0: peer ${peerKey(3)}: the address of "fe80::1%eth9" is not known`,
  ]);
  bench.settle(specOf({ peers }));
  assert.deepEqual(
    [1, 2, 3, 4].map((number) => bench.endpointOf(number)),
    ['', '[fe80::1%3]:51820', '', '192.0.2.4:1'],
  );
  bench.names = new Map([['vpn.lab', 'FD00:0::7']]);
  bench.settle(specOf({ peers }));
  assert.equal(bench.endpointOf(1), '[fd00::7]:51820');
  // Another address of the same name is no change of the specification.
  bench.names = new Map([['vpn.lab', '192.0.2.7']]);
  assert.deepEqual(bench.plan(specOf({ peers })).steps, []);
});

test('a prefix of two peers and a peer that is named twice settle, and the device is no peer of its own', () => {
  const bench = new Bench();
  const peers = [
    peer(1, { allowedIPs: ['10.0.0.0/8', '10.1.0.0/16'] }),
    peer(2, { allowedIPs: ['10.0.0.9/8'] }),
    peer(1, { allowedIPs: ['10.1.0.0/16'] }),
    { ...peer(1), publicKey: ownKey.publicKey },
  ];
  const { waiting } = bench.plan(specOf({ privateKey: ownKey.privateKey, peers }));
  assert.deepEqual(waiting, [`link wg0: peer ${peerKey(1)} is named twice: the last one counts`]);
  bench.settle(specOf({ privateKey: ownKey.privateKey, peers: peers.slice(0, 2) }));
  bench.settle(specOf({ privateKey: ownKey.privateKey, peers }));
  const allowed = bench.device?.peers.map(({ publicKey, allowedIps }) => [publicKey, allowedIps]);
  assert.deepEqual(
    new Map(allowed as [string, string[]][]),
    new Map([
      [peerKey(1), ['10.1.0.0/16']],
      [peerKey(2), ['10.0.0.0/8']],
    ]),
  );
  const two = bench.plan(specOf({ peers: peers.slice(0, 2) })).waiting;
  assert.deepEqual(two, [
    `link wg0: 10.0.0.0/8 is allowed for peers ${peerKey(1)} and ${peerKey(2)}: the last one counts`,
  ]);
});

test('what the kernel could not take is left out and said, without a key', () => {
  const bench = new Bench();
  const secret = 'a secret that is no key';
  const plan = bench.plan(
    specOf({
      ...{ privateKey: secret, listenPort: 70_000, firewallMark: -1 },
      peers: [
        peer(1, { presharedKey: secret }),
        { ...peer(2), publicKey: secret },
        peer(3, {
          ...{ endpoint: ':1', persistentKeepaliveInterval: 1e12 },
          allowedIPs: ['10.0.0.1', 'x/8', '::ffff:10.0.0.0/120', '10.0.0.0/33', 'fd00::/64'],
        }),
        peer(4, { persistentKeepaliveInterval: 1 }),
      ],
    }),
  );
  assert.deepEqual(plan.waiting, [
    'link wg0: its private key is not base64 of 32 bytes, or all of them are 0',
    'link wg0: there is no port 70000',
    'link wg0: there is no firewall mark -1',
    'link wg0: the preshared key of peer 1 is not base64 of 32 bytes',
    'link wg0: the public key of peer 2 is not base64 of 32 bytes',
    `link wg0: peer ${peerKey(3)}: 10.0.0.1 is not a prefix`,
    `link wg0: peer ${peerKey(3)}: "x/8" is not a prefix`,
    `link wg0: peer ${peerKey(3)}: "::ffff:10.0.0.0/120" is not a prefix`,
    `link wg0: peer ${peerKey(3)}: "10.0.0.0/33" is not a prefix`,
    `link wg0: peer ${peerKey(3)}: ":1" is no address and port`,
  ]);
  assert.deepEqual(plan.steps, [
    {
      ...{ kind: 'configure-wireguard', linkName: 'wg0', linkIndex: index },
      wireguard: {
        peers: [
          { publicKey: peerKey(3), keepaliveSeconds: 65_535, allowedIps: ['fd00::/64'] },
          { publicKey: peerKey(4), keepaliveSeconds: 1 },
        ],
      },
    },
  ]);
});

test('a device that cannot be read is not touched', () => {
  const bench = new Bench();
  bench.device = undefined;
  const { steps, waiting } = bench.plan(specOf({ privateKey: ownKey.privateKey }));
  assert.deepEqual([steps, waiting], [[], ['link wg0: its WireGuard settings cannot be read']]);
});

test('no step and no line of a plan shows a private or a preshared key', () => {
  const bench = new Bench();
  const keys = [ownKey.privateKey, wireguardKey(9)];
  const spec = specOf({ privateKey: ownKey.privateKey, peers: [peer(1, { presharedKey: wireguardKey(9) })] });
  const plan = bench.plan(spec);
  const shown = [
    ...[JSON.stringify(plan), inspect(plan, { depth: 20 }), ...plan.steps.map(describeStep)],
    ...[String(plan.steps), JSON.stringify([...plan.owned.before])],
  ].join('\n');
  assert.match(shown, /\*{6}/);
  for (const key of keys) assert.ok(!shown.includes(key));
  bench.settle(spec);
  assert.ok(!inspect(bench, { depth: 20 }).includes(keys[1] ?? ''));
});

test('a thousand peers are the limit, and ten thousand prefixes', () => {
  const bench = new Bench();
  const many = Array.from({ length: wireguardLimits.peers + 1 }, (_, at) =>
    peer(at, {
      allowedIPs: Array.from({ length: 11 }, (_each, each) => `10.${at >> 8}.${at & 255}.${each}/32`),
    }),
  );
  const { waiting } = bench.plan(specOf({ peers: many }));
  assert.deepEqual(waiting, [
    'link wg0: of 1001 peers only 1000 are applied',
    'link wg0: of 11000 allowed IPs only 10000 are applied',
  ]);
  bench.settle(specOf({ peers: many }));
  assert.equal(bench.device?.peers.length, wireguardLimits.peers);
});

test('layers of one tunnel are merged: the key of the lower one, the port of the higher one, the peers of both', () => {
  const lower = specOf(
    { privateKey: ownKey.privateKey, listenPort: 1, peers: [peer(1), peer(2, { endpoint: '192.0.2.1:1' })] },
    'platform',
  );
  const higher = specOf({ listenPort: 51_820, peers: [peer(3), peer(2, { endpoint: '192.0.2.2:2' })] });
  const [merged = assert.fail()] = mergeLinks([higher, lower]);
  assert.deepEqual(merged.spec.wireguard, {
    ...{ privateKey: ownKey.privateKey, publicKey: '', listenPort: 51_820, firewallMark: 0 },
    peers: [peer(1), peer(3), peer(2, { endpoint: '192.0.2.2:2' })],
  });
  assert.equal(secretOf(ownKey.privateKey).toString(), '******');
});
