// Random sequences of specifications, foreign changes, links that go down and passes that end in the middle, on the kernel of a
// network namespace of the test. What `ip` shows in the end is the judge.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { addAddress, addRoute, loadNativeCalls, removeAddress, removeRoute } from '@nodewright/linux';
import { enterOwnNamespace, ip, noOwnNamespace, requireOwnNamespace } from '@nodewright/linux/testing';
import type { AddressSpecSpec, RouteSpecSpec } from '@nodewright/state/kinds';
import fc from 'fast-check';
import { worlds } from '../../base/domain/world.ts';
import { linkAddress } from '../domain/address-documents.ts';
import type { NetworkPlan } from '../domain/network-step.ts';
import { planAddresses } from '../domain/plan-addresses.ts';
import { planRoutes } from '../domain/plan-routes.ts';
import { plainRoute } from '../domain/route-documents.ts';
import { sequenceRuns } from '../testing/sequence-runs.ts';
import { type KernelNetwork, openKernelNetwork } from './kernel-network.ts';
import { setLinkParameters } from './link-parameters.ts';
import { type NetworkPort, openNetworkPort } from './network-port.ts';

const skip = noOwnNamespace;
const links = ['wire0', 'wire2', 'bridge0'] as const;
type LinkName = (typeof links)[number];

/** What may be wanted together: an address, or routes with what they need. */
interface Unit {
  readonly addresses: readonly AddressSpecSpec[];
  readonly routes: readonly RouteSpecSpec[];
}

const address = (link: string, text: string, priority = 0): Unit => ({
  addresses: [linkAddress(link, text, 'operator', priority)],
  routes: [],
});
const route = (rest: Partial<RouteSpecSpec>): RouteSpecSpec => {
  const text = `${rest.gateway ?? ''}${rest.dst ?? ''}`;
  const scope = rest.gateway ? 'global' : 'link';
  return { ...plainRoute, dst: '', family: text.includes(':') ? 'inet6' : 'inet4', scope, ...rest };
};
const routes = (...list: Partial<RouteSpecSpec>[]): Unit => ({ addresses: [], routes: list.map(route) });

const units: readonly Unit[] = [
  address('wire0', '10.9.0.7/24'),
  // Several of one network: the kernel ties the later ones to the first.
  address('wire0', '10.9.0.8/24'),
  address('wire0', '10.9.0.8/24', 300),
  address('wire0', '10.9.0.7/32', 77),
  address('wire2', '10.8.0.7/31'),
  address('wire2', '169.254.9.1/16'),
  address('bridge0', '10.7.0.7/24'),
  address('missing0', '10.6.0.7/24'),
  address('wire0', 'FD09:0::7/64'),
  address('wire0', 'fd09::7/64', 300),
  address('bridge0', 'fd07::7/128'),
  // Of an operator that has lent it to the kernel: not a matter of the planner.
  { addresses: [{ ...linkAddress('wire0', '10.9.0.99', 'operator'), flags: [] }], routes: [] },
  routes({ gateway: '10.9.0.1', outLinkName: 'wire0', protocol: 'boot' }),
  // The same route in another way.
  routes({ gateway: '10.9.0.1', outLinkName: 'wire0' }),
  routes({ gateway: '10.9.0.2', outLinkName: 'wire0', mtu: 1400 }),
  routes({ gateway: '10.9.0.1', outLinkName: 'wire0', priority: 1025, table: '1000' }),
  routes({ dst: '10.50.0.0/16', outLinkName: 'wire2' }),
  routes({ dst: '10.50.7.7/16', outLinkName: 'bridge0' }),
  routes({ dst: '10.50.0.0/16', outLinkName: 'missing0', priority: 5 }),
  routes({ dst: '10.51.0.0/16', type: 'blackhole', scope: 'global' }),
  routes({ gateway: 'fd09::1', outLinkName: 'wire0' }),
  routes({ dst: 'fd50::/48', outLinkName: 'wire2', priority: 7 }),
  routes({ dst: 'fd51::/48', type: 'blackhole', scope: 'global' }),
  // A gateway outside of the network of the address.
  {
    addresses: [linkAddress('bridge0', '192.0.2.7/32', 'cmdline')],
    routes: [
      route({ dst: '198.51.100.1/32', src: '192.0.2.7', outLinkName: 'bridge0', priority: 1030 }),
      route({ gateway: '198.51.100.1', outLinkName: 'bridge0', priority: 1030 }),
    ],
  },
];

/** Of others. The first routes stand where a specification may want its own. */
const foreignAddresses = [
  ['wire0', '10.9.0.77', 24],
  ['wire0', '10.9.0.6', 24],
  ['wire2', '10.8.0.6', 31],
  ['bridge0', '10.7.0.77', 24],
  ['bridge0', 'fd07::77', 64],
] as const;
const foreignRoutes = [
  { destination: '', gateway: '10.9.0.3', link: 'wire0', priority: 1024 },
  { destination: '10.50.0.0/16', gateway: '10.9.0.3', link: 'wire0', priority: 1024 },
  { destination: '10.50.0.0/16', gateway: '10.9.0.3', link: 'wire0', priority: 9 },
  { destination: '10.60.0.0/16', gateway: '', link: 'bridge0', priority: 0 },
  { destination: 'fd60::/48', gateway: '', link: 'wire2', priority: 1024 },
] as const;

type Action =
  | { readonly kind: 'want'; readonly units: readonly Unit[] }
  /** A pass that ends after this number of steps. */
  | { readonly kind: 'pass'; readonly steps: number }
  | { readonly kind: 'foreign address'; readonly index: number; readonly isAdded: boolean }
  | { readonly kind: 'foreign route'; readonly index: number; readonly isAdded: boolean }
  | { readonly kind: 'lose address'; readonly index: number }
  | { readonly kind: 'lose route'; readonly index: number }
  | { readonly kind: 'link'; readonly name: LinkName };

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('want' as const), units: fc.subarray([...units]) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      steps: fc.oneof(fc.nat(6), fc.constant(Number.POSITIVE_INFINITY)),
    }),
  },
  fc.record({
    ...{ kind: fc.constant('foreign address' as const), index: fc.nat(foreignAddresses.length - 1) },
    isAdded: fc.boolean(),
  }),
  fc.record({
    ...{ kind: fc.constant('foreign route' as const), index: fc.nat(foreignRoutes.length - 1) },
    isAdded: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('lose address' as const), index: fc.nat(50) }),
  fc.record({ kind: fc.constant('lose route' as const), index: fc.nat(50) }),
  fc.record({ kind: fc.constant('link' as const), name: fc.constantFrom(...links) }),
);

const { parts, options: runs } = sequenceRuns(4, { short: 100, long: 500 });
const permanent = 0x80;
const kernelProtocol = 2;
const tables = new Set([254, 1000]);

/** The kernel of the namespace, and a planner with what it remembers between passes. */
class Bench {
  readonly #calls;
  readonly #kernel: KernelNetwork;
  readonly #port: NetworkPort;
  #owned = {
    addresses: new Set<string>() as ReadonlySet<string>,
    routes: new Set<string>() as ReadonlySet<string>,
  };
  wanted: readonly Unit[] = [];
  readonly foreign = { addresses: new Set<number>(), routes: new Set<number>() };

  constructor(calls: Awaited<ReturnType<typeof loadNativeCalls>>, kernel: KernelNetwork, port: NetworkPort) {
    this.#calls = calls;
    this.#kernel = kernel;
    this.#port = port;
  }

  /** Starts anew, with an address on each link, through which all gateways are reached. */
  reset(): void {
    requireOwnNamespace();
    this.#owned = { addresses: new Set(), routes: new Set() };
    this.wanted = [];
    for (const set of Object.values(this.foreign)) set.clear();
    for (const route of this.#routes()) removeRoute(this.#calls, route);
    for (const each of this.#kernel.addresses())
      if (each.scope !== 253 && each.scope !== 254) removeAddress(this.#calls, each);
    for (const each of this.#kernel.addresses())
      if (each.address.startsWith('169.254.')) removeAddress(this.#calls, each);
    for (const [link, text, length] of anchors) this.#addAddress(link, text, length);
  }

  perform(of: Action): void {
    switch (of.kind) {
      case 'want':
        this.wanted = of.units;
        return;
      case 'pass':
        this.pass(of.steps);
        return;
      case 'link':
        this.#toggle(of.name);
        return;
      case 'lose address':
        this.#loseAddress(of.index);
        return;
      case 'lose route':
        this.#loseRoute(of.index);
        return;
      case 'foreign address':
        this.#foreignAddress(of.index, of.isAdded);
        return;
      case 'foreign route':
        this.#foreignRoute(of.index, of.isAdded);
    }
  }

  /** @returns the steps of this pass */
  pass(maxSteps = Number.POSITIVE_INFINITY): string[] {
    let left = maxSteps;
    const taken: string[] = [];
    const run = (plan: NetworkPlan) => {
      for (const step of plan.steps) {
        if (left === 0) return;
        left -= 1;
        taken.push(JSON.stringify(step));
        try {
          this.#port.apply(step);
        } catch (error) {
          taken.push(String(error));
        }
      }
    };
    const wanted = this.wanted;
    const now = { links: this.#kernel.links() };
    const addresses = planAddresses({
      ...{
        ...now,
        wanted: unique(
          wanted.flatMap((unit) => unit.addresses),
          addressKey,
        ),
      },
      ...{ owned: this.#owned.addresses, addresses: this.#kernel.addresses() },
    });
    this.#owned = { ...this.#owned, addresses: addresses.owned };
    run(addresses);
    const planned = planRoutes({
      ...{ ...now, wanted: wanted.flatMap((unit) => unit.routes) },
      ...{ owned: this.#owned.routes, routes: this.#kernel.routes() },
    });
    this.#owned = { ...this.#owned, routes: planned.owned };
    run(planned);
    return taken;
  }

  bringUp(): void {
    for (const name of links) if (!this.#isUp(name)) this.#toggle(name);
  }

  #routes() {
    return this.#kernel
      .routes()
      .filter(({ protocol, table }) => protocol !== kernelProtocol && tables.has(table));
  }

  #index(name: string): number {
    return this.#kernel.links().find((link) => link.name === name)?.index ?? assert.fail(name);
  }

  #isUp(name: string): boolean {
    return ((this.#kernel.links().find((link) => link.name === name)?.flags ?? 0) & 1) !== 0;
  }

  /** A link that goes down loses its routes. */
  #toggle(name: LinkName): void {
    ip(`link set ${name} ${this.#isUp(name) ? 'down' : 'up'}`);
    if (this.#isUp(name)) return;
    for (const index of this.foreign.routes)
      if (foreignRoutes[index]?.link === name) this.foreign.routes.delete(index);
  }

  /** Somebody removes an address that a specification names. */
  #loseAddress(index: number): void {
    const named = new Set(units.flatMap((unit) => unit.addresses.map((spec) => spec.address.toLowerCase())));
    const all = this.#kernel.addresses().filter((each) => named.has(`${each.address}/${each.prefixLength}`));
    const lost = all[index % Math.max(all.length, 1)];
    if (lost !== undefined) removeAddress(this.#calls, lost);
  }

  #loseRoute(index: number): void {
    const own = this.#routes().filter((each) => !this.#isForeign(each));
    const lost = own[index % Math.max(own.length, 1)];
    if (lost !== undefined) removeRoute(this.#calls, lost);
  }

  #isForeign({ destination, gateway, priority }: { destination: string; gateway: string; priority: number }) {
    return foreignRoutes.some(
      (each) => each.destination === destination && each.gateway === gateway && each.priority === priority,
    );
  }

  #addAddress(link: string, text: string, prefixLength: number): void {
    addAddress(this.#calls, {
      ...{ linkIndex: this.#index(link), family: text.includes(':') ? 10 : 2, prefixLength, address: text },
      ...{ scope: 0, flags: permanent, priority: 0 },
    });
  }

  #foreignAddress(index: number, isAdded: boolean): void {
    const [link, text, prefixLength] = foreignAddresses[index] ?? assert.fail();
    if (isAdded) {
      this.#addAddress(link, text, prefixLength);
      this.foreign.addresses.add(index);
    } else {
      removeAddress(this.#calls, { linkIndex: this.#index(link), address: text, prefixLength });
      this.foreign.addresses.delete(index);
    }
  }

  #foreignRoute(index: number, isAdded: boolean): void {
    const { destination, gateway, link, priority } = foreignRoutes[index] ?? assert.fail();
    const found = {
      ...{ family: destination.includes(':') ? 10 : 2, destination, source: '', gateway, priority },
      ...{ linkIndex: this.#index(link), table: 254, scope: gateway === '' ? 253 : 0, type: 1, flags: 0 },
      ...{ protocol: 99, mtu: 0, nextHops: [], isSelective: false },
    };
    if (!isAdded) {
      removeRoute(this.#calls, found);
      this.foreign.routes.delete(index);
      return;
    }
    try {
      addRoute(this.#calls, found);
      this.foreign.routes.add(index);
    } catch (error) {
      // The place is taken, or the link is down.
      assert.match(String(error), /EEXIST|ENETDOWN|ENETUNREACH/);
    }
  }
}

const anchors = [
  ['wire0', '10.9.0.254', 24],
  ['wire0', 'fd09::254', 64],
  ['wire2', '10.8.1.254', 24],
  ['bridge0', '10.7.1.254', 24],
] as const;

const addressKey = ({ linkName, address }: AddressSpecSpec) => `${linkName}/${address}`;
/** As the layers are merged: of two specifications with one id the later counts. */
const unique = <T>(list: readonly T[], keyOf: (item: T) => string) => [
  ...new Map(list.map((item) => [keyOf(item), item])).values(),
];

interface ShownAddress {
  readonly local: string;
  readonly prefixlen: number;
  readonly metric?: number;
  readonly scope: string;
  readonly valid_life_time: number;
}

interface ShownRoute {
  readonly dst: string;
  readonly gateway?: string;
  readonly dev: string;
  readonly metric?: number;
  readonly table?: string;
  readonly protocol: string;
  readonly type?: string;
  readonly prefsrc?: string;
  readonly metrics?: readonly { readonly mtu?: number }[];
}

const shown = <T>(...words: string[]) =>
  JSON.parse(execFileSync('ip', ['-d', '-j', ...words], { encoding: 'utf8' })) as T[];
const foreverSeconds = 0xffff_ffff;

/** `wire0 10.9.0.7/24 300`, of all addresses but those that the kernel makes by itself. */
function shownAddresses(): string[] {
  return shown<{ ifname: string; addr_info: ShownAddress[] }>('addr', 'show')
    .flatMap(({ ifname, addr_info }) =>
      addr_info
        .filter(({ local }) => !local.startsWith('fe80:') && !/^(?:127\.|::1$)/.test(local))
        .map(({ local, prefixlen, metric = 0, valid_life_time: life }) =>
          [ifname, `${local}/${prefixlen}`, metric, life === foreverSeconds ? '' : 'ends'].join(' ').trim(),
        ),
    )
    .sort();
}

/** `main default via 10.9.0.1 dev wire0 metric 1024 proto boot unicast`, without those of the kernel. */
function shownRoutes(): string[] {
  return ['-4', '-6']
    .flatMap((family) => shown<ShownRoute>(family, 'route', 'show', 'table', 'all'))
    .filter(({ protocol, table, type }) => protocol !== 'kernel' && table !== 'local' && type !== 'multicast')
    .map(routeText)
    .sort();
}

function routeText(of: ShownRoute): string {
  const { dst, gateway = '', dev, metric = 0, table = 'main', protocol, type = 'unicast' } = of;
  const mtu = of.metrics?.find((each) => each.mtu !== undefined)?.mtu ?? 0;
  const device = type === 'blackhole' ? '' : dev;
  return [table, dst, gateway, device, metric, protocol, type, of.prefsrc ?? '', mtu].join(' ');
}

/** What must be there in the end, from the table of the test alone. */
function expectedAddresses(bench: Bench): string[] {
  const wanted = unique(
    bench.wanted.flatMap((unit) => unit.addresses),
    ({ linkName, address: text }) => `${linkName} ${shortened[text] ?? text}`,
  )
    .filter(({ linkName, flags }) => linkName !== 'missing0' && flags.includes('permanent'))
    .map(({ linkName, address: text, priority }) => `${linkName} ${shortened[text] ?? text} ${priority}`);
  const others = [
    ...anchors,
    ...[...bench.foreign.addresses].map((index) => foreignAddresses[index] ?? anchors[0]),
  ];
  return [...wanted, ...others.map(([link, text, length]) => `${link} ${text}/${length} 0`)].sort();
}

const shortened: Readonly<Record<string, string>> = { 'FD09:0::7/64': 'fd09::7/64' };
const networks: Readonly<Record<string, string>> = { '10.50.7.7/16': '10.50.0.0/16', '': 'default' };
const withoutHostLength = (text: string) => text.replace(/\/(?:32|128)$/, '');

function expectedRoutes(bench: Bench): string[] {
  const foreign = [...bench.foreign.routes].map((index) => foreignRoutes[index] ?? assert.fail());
  const taken = new Set(
    foreign.map(({ destination, priority }) => `main ${destination || 'default'} ${priority}`),
  );
  const texts = foreign.map(({ destination, gateway, link, priority }) =>
    routeText({
      ...{ dst: destination || 'default', gateway, dev: link, metric: priority, protocol: 'openr' },
    }),
  );
  for (const spec of bench.wanted.flatMap((unit) => unit.routes)) {
    const family = spec.gateway.includes(':') ? '6' : '';
    const dst = withoutHostLength(networks[spec.dst] ?? spec.dst);
    const slot = `${spec.table} ${dst}${family} ${spec.priority}`;
    if (spec.outLinkName === 'missing0' || taken.has(slot)) continue;
    taken.add(slot);
    texts.push(
      routeText({
        ...{ dst, gateway: spec.gateway, dev: spec.outLinkName, metric: spec.priority },
        ...{ table: spec.table, protocol: spec.protocol, type: spec.type, prefsrc: spec.src },
        metrics: [{ mtu: spec.mtu || 0 }],
      }),
    );
  }
  return texts.sort();
}

/** More passes than any plan needs. */
const maxPasses = 4;

test('a test that changes everything refuses to run in the network namespace of the host', { skip }, () => {
  assert.throws(() => requireOwnNamespace(), /the network namespace of the host/);
});

for (const part of parts)
  test(`random sequences end with the kernel as planned, a second pass plans nothing, and foreign addresses and routes stay (${part} of ${parts.length})`, {
    skip,
  }, async () => {
    const calls = await loadNativeCalls();
    enterOwnNamespace();
    requireOwnNamespace();
    for (const scope of ['all', 'default'])
      writeFileSync(`/proc/sys/net/ipv4/conf/${scope}/promote_secondaries`, '0');
    ip('link add wire0 type veth peer name wire1');
    ip('link add wire2 type veth peer name wire3');
    ip('link add bridge0 type bridge');
    const { problems, obstacles } = setLinkParameters(['lo', ...links], writeFileSync);
    assert.deepEqual([problems, obstacles.size], [[], 0]);
    // Foreign addresses of IPv6 stay on a link that goes down, which makes them easy to know.
    writeFileSync('/proc/sys/net/ipv6/conf/all/keep_addr_on_down', '1');
    for (const name of [...links, 'wire1', 'wire3']) ip(`link set ${name} up`);
    const kernel = await openKernelNetwork();
    const bench = new Bench(calls, kernel, await openNetworkPort(worlds.machine.networkSteps));
    fc.assert(
      fc.property(fc.array(action, { maxLength: 20, size: 'max' }), (actions) => {
        bench.reset();
        for (const each of actions) bench.perform(each);
        bench.bringUp();
        let passes = 0;
        let steps = bench.pass();
        while (steps.length > 0 && passes < maxPasses) {
          passes += 1;
          steps = bench.pass();
        }
        assert.deepEqual(steps, []);
        assert.deepEqual(shownAddresses(), expectedAddresses(bench));
        assert.deepEqual(shownRoutes(), expectedRoutes(bench));
      }),
      runs,
    );
  });
