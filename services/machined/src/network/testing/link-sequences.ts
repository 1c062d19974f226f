// Random sequences for the planner of links, on any kernel that link-conformance.ts describes.
import assert from 'node:assert/strict';
import {
  type KernelLink,
  type KernelWireguard,
  type KernelWireguardPeer,
  keyFromText,
  presharedKeyDigest,
  type WireguardChange,
} from '@nodewright/linux/network';
import { type ConfigDocument, ConfigReader } from '@nodewright/machine-config';
import type { LinkSpecSpec } from '@nodewright/state/kinds';
import fc from 'fast-check';
import { isLinkUp } from '../domain/find-link.ts';
import { linkSpecsOf } from '../domain/link-documents.ts';
import { type LinkMemory, noLinkMemory } from '../domain/link-plan/link-memory.ts';
import { mergeLinks } from '../domain/merge-layers.ts';
import { planLinks } from '../domain/plan-links.ts';
import { type LinksUnderTest, Shorthand } from './link-conformance.ts';
import { peerKey, secretOf, wireguardKey } from './wireguard-keys.ts';

/** What a document promises about a link, and nothing that it leaves open. */
interface Promised {
  readonly name: string;
  readonly kind?: string;
  readonly isUp: boolean;
  readonly mtu?: number;
  readonly address?: string;
  readonly multicast?: boolean;
  /** The name of the link above it. */
  readonly master?: string;
  /** The name of the link below it, or of the other end. */
  readonly related?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly wireguard?: PromisedWireguard;
}

/** Without a port, the device may have any. */
interface PromisedWireguard {
  readonly publicKey: string;
  readonly listenPort?: number;
  readonly firewallMark: number;
  readonly peers: readonly KernelWireguardPeer[];
}

/** A document, with what the kernel must have when it is applied. */
interface Choice {
  readonly kinds: readonly string[];
  readonly document: ConfigDocument;
  readonly promised: readonly Promised[];
}

interface Fields {
  readonly name: string;
  readonly up?: boolean;
  readonly mtu?: number;
  readonly multicast?: boolean;
  readonly hardwareAddr?: string;
  readonly stp?: { readonly enabled: boolean };
  readonly parent?: string;
  readonly vlanID?: number;
  readonly vlanMode?: string;
  readonly [name: string]: unknown;
}

const choice = (
  kind: string,
  fields: Fields,
  promised: readonly Promised[],
  ...kinds: readonly string[]
): Choice => ({
  ...{ kinds, promised },
  document: { kind, value: { apiVersion: 'v1alpha1', kind, ...fields } as ConfigDocument['value'] },
});

/** What the common fields promise. */
const common = ({ name, up = true, mtu, multicast, hardwareAddr }: Fields): Promised => ({
  ...{ name, isUp: up },
  ...(mtu !== undefined && { mtu }),
  ...(multicast !== undefined && { multicast }),
  ...(hardwareAddr !== undefined && { address: hardwareAddr }),
});

const link = (fields: Fields) => choice('LinkConfig', fields, [common(fields)]);

const dummy = (fields: Fields) =>
  choice('DummyLinkConfig', fields, [{ ...common(fields), kind: 'dummy' }], 'dummy');

const member = (name: string, master: string): Promised => ({ name, isUp: true, master });

function bridge(name: string, links: readonly string[], rest: Omit<Fields, 'name'> = {}): Choice {
  const fields: Fields = { ...rest, name, links };
  const options = { spanningTree: fields.stp?.enabled ?? false };
  const own: Promised = { ...common(fields), kind: 'bridge', options };
  return choice('BridgeConfig', fields, [own, ...links.map((each) => member(each, name))], 'bridge');
}

function bond(
  links: readonly string[],
  rest: Omit<Fields, 'name'>,
  options: Readonly<Record<string, unknown>>,
): Choice {
  const own: Promised = { name: 'bond0', kind: 'bond', isUp: true, options };
  return choice(
    'BondConfig',
    { ...rest, name: 'bond0', links },
    [own, ...links.map((each) => member(each, 'bond0'))],
    'bond',
  );
}

const veth = (name: string, peer: string) =>
  choice(
    'VethConfig',
    { name, peer: { name: peer } },
    [
      { name, kind: 'veth', isUp: true, related: peer },
      { name: peer, kind: 'veth', isUp: true, related: name },
    ],
    'veth',
  );

function vlan(fields: Fields & { readonly parent: string }): Choice {
  const options = { id: fields.vlanID, protocol: fields.vlanMode === '802.1ad' ? 0x88a8 : 0x8100 };
  return choice(
    'VLANConfig',
    fields,
    [{ ...common(fields), kind: 'vlan', related: fields.parent, options }],
    'vlan',
  );
}

interface PeerFields {
  /** Its public key is that of this number. */
  readonly number: number;
  readonly preshared?: number;
  readonly endpoint?: string;
  readonly keepalive?: number;
  readonly allowedIPs: readonly string[];
}

interface WireguardFields {
  readonly key: number;
  readonly listenPort?: number;
  readonly firewallMark?: number;
  readonly up?: boolean;
  readonly mtu?: number;
}

function wireguard(
  { key, listenPort, firewallMark, ...rest }: WireguardFields,
  ...peers: PeerFields[]
): Choice {
  const fields: Fields = {
    ...{ ...rest, name: 'wg0', privateKey: wireguardKey(key) },
    ...(listenPort !== undefined && { listenPort }),
    ...(firewallMark !== undefined && { firewallMark }),
    peers: peers.map(({ number, preshared, endpoint, keepalive, allowedIPs }) => ({
      ...{ publicKey: peerKey(number), allowedIPs },
      ...(preshared !== undefined && { presharedKey: wireguardKey(preshared) }),
      ...(endpoint !== undefined && { endpoint }),
      ...(keepalive !== undefined && { persistentKeepaliveInterval: `${keepalive}s` }),
    })),
  };
  const own: PromisedWireguard = {
    ...{ publicKey: peerKey(key), firewallMark: firewallMark ?? 0 },
    ...(listenPort !== undefined && { listenPort }),
    peers: peers
      .map(({ number, preshared, endpoint = '', keepalive = 0, allowedIPs }) => ({
        ...{ publicKey: peerKey(number), endpoint, keepaliveSeconds: keepalive },
        presharedKeyDigest: preshared === undefined ? '' : digestOf(wireguardKey(preshared)),
        allowedIps: allowedIPs.toSorted(),
      }))
      .sort((a, b) => (a.publicKey < b.publicKey ? -1 : 1)),
  };
  return choice(
    'WireguardConfig',
    fields,
    [{ ...common(fields), kind: 'wireguard', wireguard: own }],
    'wireguard',
  );
}

const digestOf = (key: string) => presharedKeyDigest(keyFromText(key) ?? assert.fail());

function vrf(table: number, links: readonly string[]): Choice {
  const own: Promised = { name: 'vrf0', kind: 'vrf', isUp: true, options: { vrfTable: table } };
  return choice(
    'VRFConfig',
    { name: 'vrf0', table: String(table), links },
    [own, ...links.map((each) => member(each, 'vrf0'))],
    ...['vrf', 'dummy'],
  );
}

/** At most one of each slot is wanted. Two slots that speak of one link do not contradict each other. */
const slots: readonly (readonly Choice[])[] = [
  [link({ name: 'wire0', mtu: 1400 }), link({ name: 'wire0', multicast: false }), link({ name: 'wire0' })],
  [
    link({ name: 'wire2', up: false }),
    link({ name: 'wire2', mtu: 1300 }),
    link({ name: 'wire2', multicast: true }),
  ],
  [
    bridge('br0', ['wire0']),
    bridge('br0', ['wire0'], { stp: { enabled: true }, mtu: 1280 }),
    bridge('br0', [], { hardwareAddr: '02:00:00:00:0a:01' }),
    bridge('br0', ['va'], { up: false }),
  ],
  [bridge('br1', ['vc'], { stp: { enabled: true } }), bridge('br1', [], { mtu: 1350 })],
  [veth('va', 'vb'), veth('va', 'vc'), veth('vb', 'va')],
  [veth('vd', 've'), veth('ve', 'vf')],
  [
    dummy({ name: 'dummy0', mtu: 1450 }),
    dummy({ name: 'dummy0', hardwareAddr: '02:00:00:00:0d:01', multicast: true }),
    // Another kind with this name.
    { ...bridge('dummy0', []), kinds: ['bridge'] },
  ],
  [
    bond(
      ['wire4', 'wire6'],
      { bondMode: 'active-backup', miimon: 100, primary: 'wire4' },
      { mode: 1, miimon: 100 },
    ),
    bond(['wire6'], { bondMode: 'active-backup', miimon: 100, primary: 'wire6' }, { mode: 1, miimon: 100 }),
    bond(['wire6', 'wire4'], { bondMode: '802.3ad', miimon: 50, lacpRate: 'fast' }, { mode: 4, lacpRate: 1 }),
    bond(
      ['wire4'],
      { bondMode: 'balance-rr', arpInterval: 1000, arpIpTargets: ['10.0.0.1'] },
      { arpIpTargets: ['10.0.0.1'] },
    ),
  ],
  [
    vlan({ name: 'vlan7', parent: 'bond0', vlanID: 7 }),
    vlan({ name: 'vlan7', parent: 'wire2', vlanID: 7 }),
    vlan({ name: 'vlan7', parent: 'wire2', vlanID: 8, vlanMode: '802.1ad' }),
    vlan({ name: 'vlan7', parent: 'br1', vlanID: 8, up: false }),
  ],
  [vlan({ name: 'vlan9', parent: 'vlan7', vlanID: 9 })],
  [vrf(100, ['dummy0']), vrf(101, [])],
  [
    wireguard({ key: 1 }),
    wireguard(
      { key: 1, listenPort: 51_820, firewallMark: 7, mtu: 1380 },
      { number: 2, preshared: 9, endpoint: '192.0.2.1:51820', keepalive: 25, allowedIPs: ['10.1.0.0/16'] },
      { number: 3, allowedIPs: ['10.2.0.0/16', 'fd00:2::/64'] },
    ),
    // The prefixes changed places, and everything that can be left out is.
    wireguard(
      { key: 1, listenPort: 51_821 },
      { number: 2, endpoint: '192.0.2.2:51820', allowedIPs: ['10.2.0.0/16'] },
      { number: 3, preshared: 8, endpoint: '[fd00::3]:51820', keepalive: 1, allowedIPs: ['10.1.0.0/16'] },
    ),
    // The device has the key of what was its peer, and the other way round.
    wireguard({ key: 2, up: false }, { number: 1, allowedIPs: ['0.0.0.0/0'] }),
    wireguard({ key: 4 }, { number: 3, endpoint: '192.0.2.1:51820', allowedIPs: [] }),
  ],
];

/** A change that somebody else makes. */
type Meddling =
  | { readonly act: 'remove' | 'down' | 'up'; readonly name: string }
  | { readonly act: 'mtu'; readonly name: string; readonly mtu: number }
  /** Into the bridge of others. */
  | { readonly act: 'take'; readonly name: string }
  /** Of the WireGuard device; a change of an endpoint may also be a peer that has moved. */
  | { readonly act: 'wireguard'; readonly name: 'wg0'; readonly change: WireguardChange };

/** Where peers are found after they have moved. */
const elsewhere = '203.0.113.9:9';

const wireguardMeddling: readonly WireguardChange[] = [
  ...[2, 3].map((number) => ({ peers: [{ publicKey: peerKey(number), endpoint: elsewhere }] })),
  { privateKey: secretOf(wireguardKey(2)) },
  { listenPort: 51_999, firewallMark: 99 },
  { peers: [{ publicKey: peerKey(2), isRemoved: true }] },
  { peers: [{ publicKey: peerKey(7), allowedIps: ['10.1.0.0/16', '10.9.0.0/16'] }] },
  { peers: [{ publicKey: peerKey(3), presharedKey: secretOf(wireguardKey(6)), keepaliveSeconds: 99 }] },
];

export type LinkAction =
  | { readonly kind: 'want'; readonly choices: readonly Choice[] }
  /** A pass that ends after this number of steps. */
  | { readonly kind: 'pass'; readonly steps: number }
  | { readonly kind: 'meddle'; readonly meddling: Meddling };

const names = [
  'wire0',
  'wire2',
  'br0',
  'br1',
  'va',
  'vb',
  'vd',
  'dummy0',
  'bond0',
  'wire4',
  'vlan7',
  'vrf0',
  'wg0',
];

export function linkAction(kinds: ReadonlySet<string>): fc.Arbitrary<LinkAction> {
  const usable = slots
    .map((slot) => slot.filter((each) => each.kinds.every((kind) => kinds.has(kind))))
    .filter((slot) => slot.length > 0);
  const want = fc
    .tuple(...usable.map((slot) => fc.option(fc.constantFrom(...slot), { nil: undefined })))
    .map((list) => ({ kind: 'want' as const, choices: list.filter((each) => each !== undefined) }));
  const name = fc.constantFrom(...names);
  const meddling: fc.Arbitrary<Meddling> = fc.oneof(
    fc.record({ act: fc.constantFrom('remove' as const, 'down' as const, 'up' as const), name }),
    fc.record({ act: fc.constant('mtu' as const), name, mtu: fc.constantFrom(1290, 1390) }),
    fc.record({
      ...{ act: fc.constant('wireguard' as const), name: fc.constant('wg0' as const) },
      change: fc.constantFrom(...wireguardMeddling),
    }),
    fc.record({ act: fc.constant('take' as const), name: fc.constantFrom('wire0', 'wire2', 'va') }),
  );
  return fc.oneof(
    { weight: 3, arbitrary: want },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('pass' as const),
        steps: fc.oneof(fc.nat(8), fc.constant(Number.POSITIVE_INFINITY)),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('meddle' as const), meddling }) },
  );
}

/** More passes than the deepest stack of links needs. */
const maxPasses = 12;

/** What a judge sees of a link. */
export type SeenLink = Pick<
  KernelLink,
  | 'index'
  | 'name'
  | 'kind'
  | 'flags'
  | 'mtu'
  | 'hardwareAddress'
  | 'masterIndex'
  | 'linkIndex'
  | 'details'
  | 'wireguard'
>;

/** A kernel, and the planner with what it remembers. */
export class LinkBench {
  readonly #kernel: LinksUnderTest;
  readonly #of: Shorthand;
  #memory: LinkMemory = noLinkMemory;
  wanted: readonly Choice[] = [];

  constructor(kernel: LinksUnderTest) {
    this.#kernel = kernel;
    this.#of = new Shorthand(kernel);
    // What belongs to containers.
    this.#of.create('bridge', 'cni0');
    this.#of.create('veth', 'pod0', { peerName: 'pod1' });
    this.#of.change('pod0', { masterIndex: this.#of.link('cni0').index, mtu: 1450 });
    for (const name of ['cni0', 'pod0']) this.#of.up(name);
  }

  perform(action: LinkAction): void {
    if (action.kind === 'want') this.wanted = action.choices;
    else if (action.kind === 'pass') this.pass(action.steps);
    else this.#meddle(action.meddling);
  }

  #meddle(meddling: Meddling): void {
    const { act, name } = meddling;
    const found = this.#of.find(name);
    if (found === undefined || (act === 'remove' && name.startsWith('wire'))) return;
    try {
      if (act === 'remove') this.#of.remove(name);
      else if (act === 'down') this.#of.down(name);
      else if (act === 'up') this.#of.up(name);
      else if (act === 'wireguard') this.#of.wireguard(name, meddling.change);
      else if (act === 'mtu') this.#of.change(name, { mtu: meddling.mtu });
      else this.#of.change(name, { masterIndex: this.#of.link('cni0').index });
    } catch (error) {
      assert.match(String(error), /E[A-Z]+/);
    }
  }

  #specs(): LinkSpecSpec[] {
    const documents = this.wanted.map(({ document }) => document);
    return mergeLinks(linkSpecsOf(new ConfigReader(documents))).map(({ spec }) => spec);
  }

  /** @returns the steps of this pass, and what the kernel says when it refuses one */
  pass(maxSteps = Number.POSITIVE_INFINITY): string[] {
    const plan = planLinks({
      ...{ wanted: this.#specs(), memory: this.#memory, links: this.#kernel.links() },
      ...{ bringsUpAll: false, obstacles: new Map() },
    });
    this.#memory = plan.owned;
    return plan.steps.slice(0, maxSteps).map((step) => {
      try {
        this.#kernel.apply(step);
        return JSON.stringify(step);
      } catch (error) {
        return `${JSON.stringify(step)}: ${String(error)}`;
      }
    });
  }

  /** Passes until nothing is left to do. */
  settle(): void {
    const passes: string[][] = [];
    for (let round = 0; round < maxPasses; round += 1) {
      const steps = this.pass();
      if (steps.length === 0) return;
      passes.push(steps);
    }
    assert.fail(
      `it does not settle:\n${passes
        .slice(-3)
        .map((steps) => steps.join('\n'))
        .join('\n\n')}`,
    );
  }

  /** Where the kernel differs from the documents, and what is there without one. */
  mistakes(links: readonly SeenLink[] = this.#kernel.links()): string[] {
    const promised = this.#promised(links);
    const wrong = [...promised.values()].flatMap((each) => wrongAbout(each, links));
    // A VLAN whose new parent is not there stays on its old one.
    const named = this.wanted.flatMap((each) => each.promised.map(({ name }) => name));
    const others = new Set(['lo', 'cni0', 'pod0', 'pod1', ...named]);
    const strangers = links.filter(
      ({ name }) => !promised.has(name) && !others.has(name) && !name.startsWith('wire'),
    );
    const foreign: Promised[] = [
      { name: 'cni0', kind: 'bridge', isUp: true },
      { name: 'pod0', kind: 'veth', isUp: true, mtu: 1450, master: 'cni0' },
    ];
    const released = links.filter(({ name }) => name.startsWith('wire') && !promised.has(name));
    return [
      ...wrong,
      ...strangers.map(({ name }) => `${name} is left over`),
      ...foreign.flatMap((each) => wrongAbout(each, links)),
      // Meddlers leave other values.
      ...released.flatMap(({ name, mtu, masterIndex }) => [
        ...([1280, 1300, 1350, 1400].includes(mtu) ? [`${name} keeps the MTU ${mtu}`] : []),
        ...(masterIndex === 0 || masterIndex === links.find((each) => each.name === 'cni0')?.index
          ? []
          : [`${name} keeps a master`]),
      ]),
    ];
  }

  /** By name. What cannot be made, such as a VLAN on a link that is not there, is not promised. */
  #promised(links: readonly SeenLink[]): Map<string, Promised> {
    const all = new Map<string, Promised>();
    for (const each of this.wanted.flatMap(({ promised }) => promised))
      all.set(each.name, { ...all.get(each.name), ...each });
    const ups = new Map(
      this.wanted.flatMap(({ promised: [own] }) => (own === undefined ? [] : [[own.name, own.isUp]])),
    );
    const made = (name: string): boolean => {
      const one = all.get(name);
      if (one?.kind === undefined) return links.some((each) => each.name === name && !all.get(name)?.kind);
      return one.kind !== 'vlan' || made(one.related ?? '');
    };
    const settled = [...all].flatMap(([name, each]): [string, Promised][] => {
      if (!made(name)) return [];
      const { master, ...rest } = { ...each, isUp: ups.get(name) ?? each.isUp };
      return [[name, master !== undefined && made(master) ? { ...rest, master } : rest]];
    });
    return new Map(settled);
  }
}

function wrongAbout(promised: Promised, links: readonly SeenLink[]): string[] {
  const { name, options = {} } = promised;
  const found = links.find((each) => each.name === name);
  if (found === undefined) return [`${name} is missing`];
  const nameOf = (index: number) => links.find((each) => each.index === index)?.name;
  // A VLAN waits for the link below it, which may be down because of a document, or because no document names it.
  const carrier = found.kind === 'vlan' ? links.find(({ index }) => index === found.linkIndex) : undefined;
  const { vlan: ofVlan, bond: ofBond, bridge: ofBridge, vrfTable } = found.details;
  const has: Readonly<Record<string, unknown>> = { ...ofVlan, ...ofBond, ...ofBridge, vrfTable };
  const facts: readonly (readonly [string, unknown, unknown])[] = [
    ['kind', promised.kind ?? found.kind, found.kind],
    ['up', promised.isUp && (carrier === undefined || isLinkUp(carrier)), isLinkUp(found)],
    ['mtu', promised.mtu ?? found.mtu, found.mtu],
    ['address', promised.address ?? found.hardwareAddress, found.hardwareAddress],
    ['multicast', promised.multicast ?? (found.flags & 0x1000) !== 0, (found.flags & 0x1000) !== 0],
    ['master', promised.master, nameOf(found.masterIndex)],
    ['related', promised.related ?? nameOf(found.linkIndex), nameOf(found.linkIndex)],
    ...Object.entries(options).map(([key, value]) => [key, value, has[key]] as const),
  ];
  const wrong = promised.wireguard && wrongDevice(promised.wireguard, found.wireguard);
  return [...facts, ...(wrong === undefined ? [] : [wrong])]
    .filter(([, wanted, is]) => JSON.stringify(wanted) !== JSON.stringify(is))
    .map(([what, wanted, is]) => `${name}: ${what} is ${is} in place of ${wanted}`);
}

/** A peer may have moved since its endpoint was set. One without an endpoint keeps any that it had. */
function wrongDevice(promised: PromisedWireguard, found: KernelWireguard | undefined) {
  const endpoints = new Map(promised.peers.map(({ publicKey, endpoint }) => [publicKey, endpoint]));
  const peers = found?.peers.map((peer) => {
    const endpoint = endpoints.get(peer.publicKey) ?? '';
    return { ...peer, ...((endpoint === '' || peer.endpoint === elsewhere) && { endpoint }) };
  });
  const inOrder = ({ publicKey, listenPort, firewallMark }: Omit<PromisedWireguard, 'peers'>) => [
    ...[publicKey, listenPort ?? found?.listenPort, firewallMark],
  ];
  const sorted = (list: readonly KernelWireguardPeer[] = []) =>
    list.map(({ publicKey, presharedKeyDigest: digest, endpoint, keepaliveSeconds, allowedIps }) => [
      ...[publicKey, digest, endpoint, keepaliveSeconds, allowedIps],
    ]);
  return [
    'wireguard',
    [...inOrder(promised), sorted(promised.peers)],
    [...(found === undefined ? [] : inOrder(found)), sorted(peers)],
  ] as const;
}

/** Performs a sequence, and then passes until nothing is left to do. */
export function performAll(bench: LinkBench, actions: readonly LinkAction[]): void {
  for (const action of actions) bench.perform(action);
  bench.settle();
}
