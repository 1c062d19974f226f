// A machine with every kind of link at once, as programs of others show it: configured, changed by somebody else, started again, and without the
// configuration again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { specExplanations } from '@nodewright/state/kinds';
import { eventually } from '@nodewright/testkit';
import { stringify } from 'yaml';
import { openWorkplace } from '../use-machine.ts';
import { moreLinks, parts } from './every-kind.ts';
import { makeToolsImage, prepareToolsMachine, stepTimeoutMs, type ToolsMachine } from './network-machine.ts';
import { openMachineNetwork, skip } from './open-network.ts';
import { type ShownNetwork, shownNetwork, shownTunnels } from './oracle.ts';
import { wireguardCases } from './wireguard-cases.ts';

const all = Object.values(parts);
const documents = all.flatMap((part) => part.documents);
const interfaces = all.flatMap((part) => part.interfaces ?? []);
/** The links whose features some part is about. */
const withFeatures = all.flatMap(({ features = {} }) => Object.keys(features));
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

/** Where what the programs show differs from what is configured. */
function differences({ links, addresses, routes, rules, features, tunnels }: ShownNetwork): string[] {
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
    ...Object.entries(part.features ?? {}).flatMap(([name, wanted]) =>
      Object.entries(wanted)
        .filter(([feature, isOn]) => features[name]?.[feature] !== isOn)
        .map(([feature, isOn]) => `${feature} of ${name} is not ${isOn ? 'on' : 'off'}`),
    ),
    ...Object.entries(part.tunnels ?? {})
      .filter(([name, wanted]) => !isDeepStrictEqual(tunnels.get(name), wanted))
      .map(([name, wanted]) => `${name} is ${JSON.stringify([tunnels.get(name), wanted])}`),
  ]);
}

async function isAsConfigured({ tools, machine, client }: ToolsMachine): Promise<void> {
  let last: string[] = [];
  const isSo = async () => {
    last = differences(await shownNetwork(tools, withFeatures));
    if (last.length === 0) return true;
    const [said] = (await client.targets[0]?.resources.list(specExplanations)) ?? [];
    last.push(...(said?.spec.problems ?? []));
    return false;
  };
  await eventually(isSo, {
    ...{ what: 'the network as configured', timeoutMs: stepTimeoutMs / 3 },
    explain: () => `${last.join('\n')}\nthe console ends with:\n${machine.console().slice(-4000)}`,
  });
}

/** A port of the tunnel of somebody else. */
const foreignPort = 40_077;

/** What somebody else adds, which no document names. The kernel makes no VLAN larger than the link that carries it, also when that link changes later. */
const foreign = [
  ...[
    'link add foreign0 type dummy',
    'link set foreign0 mtu 1380 up',
    'address add 10.77.0.1/24 dev foreign0',
  ],
  ...['link add foreign1 link eth4 mtu 1100 type vlan id 900', 'address add 10.78.0.99/24 dev br0'],
  ...['link set foreign0 alias theirs', 'link add foreign2 type wireguard'],
  ...['route add 10.88.0.0/16 via 10.77.0.254 dev foreign0', 'route add 10.55.0.0/16 dev foreign0 table 300'],
  'rule add priority 2000 from 10.88.0.0/16 lookup 300',
];

function foreignParts({ links, addresses, routes, rules, features, tunnels }: ShownNetwork) {
  const ofForeign = addresses
    .flatMap(({ addr_info }) => addr_info)
    .filter(({ local }) => ['10.77.0.1', '10.78.0.99'].includes(local));
  return {
    links: links
      .filter(({ ifname }) => ifname.startsWith('foreign'))
      .map(({ ifname, ifindex, mtu, flags, ifalias }) => [
        ...[ifname, ifindex, mtu, flags.includes('UP'), ifalias],
      ]),
    addresses: ofForeign.map(({ local, prefixlen }) => `${local}/${prefixlen}`),
    routes: routes.map(({ dst }) => dst).filter((dst) => ['10.88.0.0/16', '10.55.0.0/16'].includes(dst)),
    rules: rules.filter(({ priority }) => priority === 2000),
    feature: features.eth7?.['tx-nocache-copy'],
    port: tunnels.get('foreign2')?.listenPort,
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
  ...['link set eth5 alias other', 'link delete tagged', 'link set eth8 mtu 1300', 'link delete wg1'],
];

/** Adds what `ip` does not. */
async function addForeign({ tools }: ToolsMachine): Promise<void> {
  await tools.batch(foreign);
  await tools.run('wg', ['set', 'foreign2', 'listen-port', String(foreignPort)]);
  await tools.run('ethtool', ['-K', 'eth7', 'tx-nocache-copy', 'on']);
}

async function changeConfigured({ tools }: ToolsMachine): Promise<void> {
  const [peer] = parts.WireGuard?.tunnels?.wg0?.peers ?? [];
  assert.ok(peer !== undefined);
  await tools.batch(changes);
  await tools.run('wg', [...['set', 'wg0', 'listen-port', '40078', 'peer', peer.publicKey, 'remove']]);
  await tools.run('ethtool', ['-K', 'eth6', 'gro', 'on', 'tx-nocache-copy', 'off']);
}

const configureAll = (node: ToolsMachine) => node.apply(documents, interfaces);

test('a machine has every kind of link as configured, again after changes of others and a restart, and none without the configuration', {
  skip,
}, async (t) => {
  using place = openWorkplace();
  const image = await makeToolsImage(place);
  await using network = await openMachineNetwork();
  const connection = network.connect();
  await using _server = await network.serve('1h');
  const start = await prepareToolsMachine({
    place,
    image,
    connection,
    moreTaps: network.openTaps(moreLinks),
  });
  {
    await using node = await start();
    await t.test('configured', async () => {
      await configureAll(node);
      await isAsConfigured(node);
    });
    const shown = () => shownNetwork(node.tools, withFeatures);
    let before = foreignParts(await shown());
    await t.test('what others change is restored, and what they add stays', async () => {
      await addForeign(node);
      before = foreignParts(await shown());
      assert.equal(before.links.length, 3);
      assert.equal(before.addresses.length, 2);
      assert.equal(before.routes.length, 2);
      assert.equal(before.rules.length, 1);
      assert.deepEqual([before.feature, before.port], [true, foreignPort]);
      await changeConfigured(node);
      await isAsConfigured(node);
      assert.deepEqual(foreignParts(await shown()), before);
    });
    await t.test('a link whose document is removed leaves, and others stay', async () => {
      const left = documents.filter((text) => !/name: (inner|bond0\.100|uplink|wg0)\n/.test(text));
      await node.apply(left, interfaces);
      const isGone = async () =>
        (await shown()).links.every(
          ({ ifname, ifalias }) => !['inner', 'bond0.100', 'wg0'].includes(ifname) && ifalias !== 'uplink',
        );
      await eventually(isGone, { what: 'three links and an alias fewer', timeoutMs: stepTimeoutMs / 3 });
      assert.deepEqual(foreignParts(await shown()), before);
      await configureAll(node);
      await isAsConfigured(node);
    });
    await node.machine.pressPower();
    await node.machine.isOff();
  }
  await using node = await start();
  await t.test('the same after a restart', () => isAsConfigured(node));
  for (const { name, document, device } of wireguardCases)
    await t.test(`a tunnel ${name}`, async () => {
      const others = documents.filter((text) => !/name: wg0\n/.test(text));
      const own = document === undefined ? [] : [stringify({ apiVersion: 'v1alpha1', ...document })];
      await node.apply([...others, ...own], interfaces);
      let last: unknown;
      const isSo = async () => {
        last = (await shownTunnels(node.tools)).get('wg0');
        return isDeepStrictEqual(last, device);
      };
      const explain = () => JSON.stringify([last, device]);
      await eventually(isSo, { what: 'the tunnel', timeoutMs: stepTimeoutMs / 3, explain });
    });
  await t.test('nothing is left of it without the configuration', async () => {
    await node.apply([]);
    let last = '';
    const isPlain = async () => {
      const { links, addresses, routes, rules, features } = await shownNetwork(node.tools, withFeatures);
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
        ...links.flatMap(({ ifname, ifalias }) => (ifalias === undefined ? [] : [`${ifname} with an alias`])),
        ...Object.entries(features)
          .filter(([, shown]) => !shown['generic-receive-offload'] || shown['tx-nocache-copy'])
          .map(([name]) => `${name} with other features`),
      ];
      last = left.join(', ');
      return left.length === 0;
    };
    await eventually(isPlain, { what: 'a plain network', timeoutMs: stepTimeoutMs / 3, explain: () => last });
    await node.tools.ip('-4 address show dev eth0').then((text) => assert.match(text, /10\.5\.0\.2\/24/));
  });
});
