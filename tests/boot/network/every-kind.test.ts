// A machine with every kind of link at once, as `ip` shows it: configured, changed by somebody else, started again, and without the
// configuration again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { stringify } from 'yaml';
import { openWorkplace } from '../use-machine.ts';
import { makeToolsImage, prepareToolsMachine, stepTimeoutMs, type ToolsMachine } from './network-machine.ts';
import { openMachineNetwork, skip } from './open-network.ts';
import { type ShownNetwork, shownNetwork } from './oracle.ts';

type Fields = Readonly<Record<string, unknown>>;

const document = (kind: string, fields: Fields) => stringify({ apiVersion: 'v1alpha1', kind, ...fields });

/** Part of what `ip` shows of a link, an address, a route or a rule. */
interface Part {
  readonly documents: readonly string[];
  readonly links?: Readonly<Record<string, Fields>>;
  readonly addresses?: Readonly<Record<string, readonly Fields[]>>;
  readonly routes?: readonly Fields[];
  readonly rules?: readonly Fields[];
}

/** Links are eth0, with DHCP, and eth1 to eth4. A new kind of link is one more entry; its own names and networks keep it apart. */
const parts: Readonly<Record<string, Part>> = {
  'the link of the machine': {
    documents: [document('DHCPv4Config', { name: 'eth0' })],
    links: { eth0: { operstate: 'UP', mtu: 1500 } },
    addresses: { eth0: [{ local: '10.5.0.2', prefixlen: 24 }] },
    routes: [{ dst: 'default', gateway: '10.5.0.1', dev: 'eth0', metric: 1024 }],
  },
  bridge: {
    documents: [
      document('BridgeConfig', {
        ...{ name: 'br0', links: ['eth1', 'vethb'], mtu: 1400, hardwareAddr: '02:00:00:00:0a:01' },
        ...{ stp: { enabled: true }, vlan: { filtering: true } },
        addresses: [{ address: '10.20.0.1/24' }, { address: 'fd20::1/64' }],
      }),
    ],
    links: {
      br0: {
        ...{ mtu: 1400, address: '02:00:00:00:0a:01' },
        linkinfo: { info_kind: 'bridge', info_data: { stp_state: 1, vlan_filtering: 1 } },
      },
      eth1: { master: 'br0' },
    },
    addresses: {
      br0: [
        { local: '10.20.0.1', prefixlen: 24 },
        { local: 'fd20::1', prefixlen: 64 },
      ],
    },
  },
  veth: {
    documents: [
      document('VethConfig', {
        name: 'vetha',
        addresses: [{ address: '10.20.0.2/24' }],
        peer: { name: 'vethb' },
      }),
    ],
    links: {
      vetha: { link: 'vethb', linkinfo: { info_kind: 'veth' } },
      vethb: { link: 'vetha', master: 'br0' },
    },
    addresses: { vetha: [{ local: '10.20.0.2', prefixlen: 24 }] },
  },
  bond: {
    documents: [
      document('BondConfig', {
        ...{ name: 'bond0', links: ['eth2', 'eth3'], bondMode: 'active-backup', primary: 'eth3' },
        ...{ miimon: 100, updelay: 200, downdelay: 300, primaryReselect: 'better', failOverMac: 'active' },
        ...{ resendIGMP: 3, numPeerNotif: 2, mtu: 1480 },
        addresses: [{ address: '10.21.0.1/24', routePriority: 700 }],
        routes: [
          { destination: '10.99.0.0/16', gateway: '10.21.0.254', metric: 300, mtu: 1300 },
          { destination: '10.98.0.0/16', gateway: '10.21.0.254', source: '10.21.0.1', table: '200' },
        ],
      }),
    ],
    links: {
      bond0: {
        mtu: 1480,
        linkinfo: {
          info_kind: 'bond',
          info_data: {
            ...{ mode: 'active-backup', miimon: 100, updelay: 200, downdelay: 300, primary: 'eth3' },
            ...{ primary_reselect: 'better', fail_over_mac: 'active', resend_igmp: 3, num_peer_notif: 2 },
          },
        },
      },
      eth2: { master: 'bond0', mtu: 1480 },
      eth3: { master: 'bond0', mtu: 1480 },
    },
    addresses: { bond0: [{ local: '10.21.0.1', prefixlen: 24, metric: 700 }] },
    routes: [
      {
        ...{ dst: '10.99.0.0/16', gateway: '10.21.0.254', dev: 'bond0', metric: 300, protocol: 'static' },
        metrics: [{ mtu: 1300 }],
      },
      { dst: '10.98.0.0/16', gateway: '10.21.0.254', prefsrc: '10.21.0.1', table: '200', metric: 1024 },
      { dst: '10.21.0.0/24', dev: 'bond0', metric: 700 },
    ],
  },
  'VLAN on a bond': {
    documents: [
      document('VLANConfig', {
        ...{ name: 'bond0.100', parent: 'bond0', vlanID: 100 },
        addresses: [{ address: '10.22.0.1/24' }],
      }),
    ],
    links: {
      'bond0.100': {
        ...{ link: 'bond0', mtu: 1480 },
        linkinfo: { info_kind: 'vlan', info_data: { protocol: '802.1Q', id: 100 } },
      },
    },
    addresses: { 'bond0.100': [{ local: '10.22.0.1', prefixlen: 24 }] },
  },
  'VLAN of a provider': {
    documents: [
      document('LinkConfig', { name: 'eth4', mtu: 1450, multicast: false }),
      document('VLANConfig', {
        ...{ name: 'service', parent: 'eth4', vlanID: 200, vlanMode: '802.1ad', mtu: 1300 },
      }),
      document('VLANConfig', { name: 'inner', parent: 'service', vlanID: 7 }),
    ],
    links: {
      eth4: { mtu: 1450 },
      service: {
        ...{ link: 'eth4', mtu: 1300 },
        linkinfo: { info_kind: 'vlan', info_data: { protocol: '802.1ad', id: 200 } },
      },
      inner: { link: 'service', linkinfo: { info_kind: 'vlan', info_data: { protocol: '802.1Q', id: 7 } } },
    },
  },
  'VRF and dummy': {
    documents: [
      document('VRFConfig', { name: 'red', table: '101', links: ['dummy1'] }),
      document('DummyLinkConfig', {
        ...{ name: 'dummy1', addresses: [{ address: '10.24.0.1/24' }] },
        routes: [{ destination: '10.25.0.0/16', gateway: '10.24.0.254', table: '101' }],
      }),
      document('DummyLinkConfig', {
        ...{ name: 'dummy0', hardwareAddr: '02:00:00:00:0d:01', multicast: true },
        addresses: [{ address: '10.23.0.1/32' }, { address: 'fd23::1/128' }],
      }),
      document('DummyLinkConfig', { name: 'dummy2', up: false }),
    ],
    links: {
      red: { linkinfo: { info_kind: 'vrf', info_data: { table: 101 } } },
      dummy1: { master: 'red', linkinfo: { info_kind: 'dummy' } },
      dummy0: { address: '02:00:00:00:0d:01', linkinfo: { info_kind: 'dummy' } },
      dummy2: { linkinfo: { info_kind: 'dummy' } },
    },
    addresses: {
      dummy1: [{ local: '10.24.0.1', prefixlen: 24 }],
      dummy0: [
        { local: '10.23.0.1', prefixlen: 32 },
        { local: 'fd23::1', prefixlen: 128 },
      ],
    },
    routes: [{ dst: '10.25.0.0/16', gateway: '10.24.0.254', dev: 'dummy1', table: '101' }],
  },
  'blackhole routes and rules': {
    documents: [
      document('BlackholeRouteConfig', { name: '10.66.0.0/16', metric: 77 }),
      document('BlackholeRouteConfig', { name: 'fd66::/32' }),
      document('RoutingRuleConfig', { name: '1100', src: '10.21.0.0/24', table: '200' }),
      document('RoutingRuleConfig', { name: '1101', fwMark: 0x40, fwMask: 0xf0, table: '200' }),
      document('RoutingRuleConfig', {
        name: '1102',
        dst: 'fd99::/64',
        action: 'prohibit',
        iifName: 'br0',
        table: '200',
      }),
    ],
    routes: [
      { type: 'blackhole', dst: '10.66.0.0/16', metric: 77, protocol: 'static' },
      { type: 'blackhole', dst: 'fd66::/32', metric: 1024 },
    ],
    rules: [
      { priority: 1100, src: '10.21.0.0', srclen: 24, table: '200' },
      { priority: 1101, fwmark: '0x40', fwmask: '0xf0', table: '200' },
      { priority: 1102, dst: 'fd99::', dstlen: 64, iif: 'br0', action: 'prohibit' },
    ],
  },
};

const all = Object.values(parts);
const documents = all.flatMap((part) => part.documents);
/** Names of links that the configuration makes. */
const made = all.flatMap(({ links = {} }) => Object.keys(links)).filter((name) => !name.startsWith('eth'));
/** Links that shall be down. */
const down = ['dummy2'];

const has = (value: unknown, wanted: unknown): boolean => {
  try {
    assert.partialDeepStrictEqual(value, wanted);
    return true;
  } catch {
    return false;
  }
};

/** Where what `ip` shows differs from what is configured. */
function differences({ links, addresses, routes, rules }: ShownNetwork): string[] {
  const linkNamed = (name: string) => links.find(({ ifname }) => ifname === name);
  return all.flatMap((part) => [
    ...Object.entries(part.links ?? {}).flatMap(([name, wanted]) => {
      const link = linkNamed(name);
      const isUp = link?.flags.includes('UP');
      return has(link, wanted) && isUp === !down.includes(name)
        ? []
        : [`${name} is ${JSON.stringify(link)} in place of ${JSON.stringify(wanted)}`];
    }),
    ...Object.entries(part.addresses ?? {}).flatMap(([name, wanted]) => {
      const infos = addresses.find(({ ifname }) => ifname === name)?.addr_info ?? [];
      return wanted
        .filter((each) => !infos.some((info) => has(info, each)))
        .map((each) => `${name} has ${JSON.stringify(infos)} without ${JSON.stringify(each)}`);
    }),
    ...(part.routes ?? [])
      .filter((wanted) => !routes.some((route) => has(route, wanted)))
      .map(
        (wanted) =>
          `no route ${JSON.stringify(wanted)} in ${JSON.stringify(routes.filter(({ dst }) => dst === wanted.dst))}`,
      ),
    ...(part.rules ?? [])
      .filter((wanted) => !rules.some((rule) => has(rule, wanted)))
      .map((wanted) => `no rule ${JSON.stringify(wanted)} in ${JSON.stringify(rules)}`),
  ]);
}

async function isAsConfigured({ tools, machine }: ToolsMachine): Promise<void> {
  let last: string[] = [];
  const isSo = async () => {
    last = differences(await shownNetwork(tools));
    return last.length === 0;
  };
  await eventually(isSo, {
    ...{ what: 'the network as configured', timeoutMs: stepTimeoutMs / 3 },
    explain: () => `${last.join('\n')}\nthe console ends with:\n${machine.console().slice(-4000)}`,
  });
}

/** What somebody else adds, which no document names. The kernel makes no VLAN larger than the link that carries it, whoever changes that. */
const foreign = [
  ...[
    'link add foreign0 type dummy',
    'link set foreign0 mtu 1380 up',
    'address add 10.77.0.1/24 dev foreign0',
  ],
  ...['link add foreign1 link eth4 mtu 1100 type vlan id 900', 'address add 10.78.0.99/24 dev br0'],
  ...['route add 10.88.0.0/16 via 10.77.0.254 dev foreign0', 'route add 10.55.0.0/16 dev foreign0 table 300'],
  'rule add priority 2000 from 10.88.0.0/16 lookup 300',
];

function foreignParts({ links, addresses, routes, rules }: ShownNetwork) {
  const ofForeign = addresses
    .flatMap(({ addr_info }) => addr_info)
    .filter(({ local }) => ['10.77.0.1', '10.78.0.99'].includes(local));
  return {
    links: links
      .filter(({ ifname }) => ifname.startsWith('foreign'))
      .map(({ ifname, ifindex, mtu, flags }) => [ifname, ifindex, mtu, flags.includes('UP')]),
    addresses: ofForeign.map(({ local, prefixlen }) => `${local}/${prefixlen}`),
    routes: routes.map(({ dst }) => dst).filter((dst) => ['10.88.0.0/16', '10.55.0.0/16'].includes(dst)),
    rules: rules.filter(({ priority }) => priority === 2000),
  };
}

/** Changes of what is configured. */
const changes = [
  ...[
    'link set br0 mtu 1300',
    'link set br0 type bridge stp_state 0 vlan_filtering 0',
    'link set eth1 nomaster',
  ],
  ...['link delete bond0.100', 'link set dummy0 down', 'link set eth4 mtu 1200', 'link delete vetha'],
  ...['address delete 10.20.0.1/24 dev br0', 'address delete fd23::1/128 dev dummy0', 'link set dummy2 up'],
  ...['route delete 10.99.0.0/16 metric 300', 'route delete blackhole 10.66.0.0/16 metric 77'],
  ...['rule delete priority 1100', 'link set bond0 type bond primary eth2', 'link set dummy1 nomaster'],
];

test('a machine has every kind of link as configured, again after changes of others and a restart, and none without the configuration', {
  skip,
}, async (t) => {
  using place = openWorkplace();
  const image = await makeToolsImage(place);
  await using network = await openMachineNetwork();
  const connection = network.connect();
  await using _server = await network.serve('1h');
  const start = await prepareToolsMachine({ place, image, connection, moreTaps: network.openTaps(4) });
  {
    await using node = await start();
    await t.test('configured', async () => {
      await node.apply(documents);
      await isAsConfigured(node);
    });
    let before = foreignParts(await shownNetwork(node.tools));
    await t.test('what others change is restored, and what they add stays', async () => {
      await node.tools.batch(foreign);
      before = foreignParts(await shownNetwork(node.tools));
      assert.equal(before.links.length, 2);
      assert.equal(before.addresses.length, 2);
      assert.equal(before.routes.length, 2);
      assert.equal(before.rules.length, 1);
      await node.tools.batch(changes);
      await isAsConfigured(node);
      assert.deepEqual(foreignParts(await shownNetwork(node.tools)), before);
    });
    await t.test('a link whose document is removed leaves, and others stay', async () => {
      await node.apply(documents.filter((text) => !/name: (inner|bond0\.100)\n/.test(text)));
      const isGone = async () =>
        (await shownNetwork(node.tools)).links.every(
          ({ ifname }) => !['inner', 'bond0.100'].includes(ifname),
        );
      await eventually(isGone, { what: 'two links fewer', timeoutMs: stepTimeoutMs / 3 });
      assert.deepEqual(foreignParts(await shownNetwork(node.tools)), before);
      await node.apply(documents);
      await isAsConfigured(node);
    });
    await node.machine.pressPower();
    await node.machine.isOff();
  }
  await using node = await start();
  await t.test('the same after a restart', () => isAsConfigured(node));
  await t.test('nothing is left of it without the configuration', async () => {
    await node.apply([]);
    let last = '';
    const isPlain = async () => {
      const { links, addresses, routes, rules } = await shownNetwork(node.tools);
      const left = [
        ...links.filter(({ ifname }) => made.includes(ifname)).map(({ ifname }) => ifname),
        ...links
          .filter(({ ifname, master, mtu }) => /^eth/.test(ifname) && (master !== undefined || mtu !== 1500))
          .map(({ ifname, master, mtu }) => `${ifname} with ${master} and ${mtu}`),
        ...addresses
          .flatMap(({ addr_info }) => addr_info.map(({ local }) => local))
          .filter((local) => /^(10\.2\d|fd2)/.test(local)),
        ...routes.filter(({ protocol }) => protocol === 'static').map(({ dst }) => dst),
        ...rules.map(({ priority }) => priority).filter((priority) => priority >= 1100 && priority < 1200),
        ...(links.some(({ ifname, flags }) => ifname === 'eth4' && !flags.includes('MULTICAST'))
          ? ['eth4 without multicast']
          : []),
      ];
      last = left.join(', ');
      return left.length === 0;
    };
    await eventually(isPlain, { what: 'a plain network', timeoutMs: stepTimeoutMs / 3, explain: () => last });
    await node.tools.ip('-4 address show dev eth0').then((text) => assert.match(text, /10\.5\.0\.2\/24/));
  });
});
