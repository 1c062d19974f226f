// Compares networks in namespaces of the test with the output of `ip`.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { loadNativeCalls } from '../native-calls.ts';
import { enterOwnNamespace, ip, noOwnNamespace } from './own-namespace.ts';
import { readAddresses, readLinks, readRoutes, readRules } from './read-network.ts';

const skip = noOwnNamespace;
const calls = await loadNativeCalls();
if (skip === false) {
  enterOwnNamespace();
  ip('link add pair0 type veth peer name pair1');
  ip('link set pair0 alias uplink');
  ip('link property add dev pair0 altname first');
  ip('link set pair1 address 02:00:00:00:00:07 mtu 1400');
  ip('link set pair0 up');
  ip('link set pair1 up');
  ip('addr add 10.9.0.5/24 broadcast 10.9.0.255 dev pair0');
  ip('addr add fd09::5/64 dev pair0 nodad');
  ip('addr add 10.9.1.1 peer 10.9.1.2/32 dev pair0');
  ip('route add 10.10.0.0/16 via 10.9.0.1 metric 77 mtu 1300');
  ip('route add default via 10.9.0.1');
  ip('route add 10.11.0.0/16 table 100 nexthop via 10.9.0.1 weight 1 nexthop via 10.9.0.2 weight 5');
  ip('-6 route add fd0a::/64 via fd09::1');
  ip('route add blackhole 10.12.0.0/16');
}
const index = (name: string) => readLinks(calls).find((link) => link.name === name)?.index ?? 0;

test('readLinks() agrees with ip', { skip }, () => {
  const links = readLinks(calls);
  assert.deepEqual(
    links.map(({ name }) => name).sort(),
    JSON.parse(ip('-j link'))
      .map((link: { ifname: string }) => link.ifname)
      .sort(),
  );
  const pair = links.find(({ name }) => name === 'pair0');
  assert.deepEqual(
    { ...pair, hardwareAddress: '', index: 0, linkIndex: 0, flags: 0 },
    {
      ...{ index: 0, name: 'pair0', alias: 'uplink', altNames: ['first'], hardwareType: 1, flags: 0 },
      ...{ hardwareAddress: '', permanentAddress: '', broadcastAddress: 'ff:ff:ff:ff:ff:ff', mtu: 1500 },
      ...{
        queueDiscipline: 'noqueue',
        linkIndex: 0,
        isLinkHere: true,
        masterIndex: 0,
        operationalState: 6,
        hasCarrier: true,
      },
      ...{ kind: 'veth', slaveKind: '', details: {} },
    },
  );
  assert.equal(pair?.linkIndex, index('pair1'));
  assert.equal((pair?.flags ?? 0) & 1, 1, 'up');
  const other = links.find(({ name }) => name === 'pair1');
  assert.deepEqual([other?.hardwareAddress, other?.mtu], ['02:00:00:00:00:07', 1400]);
});

test('readLinks() reads a bridge and its port', { skip }, () => {
  ip('link add br0 type bridge stp_state 1');
  ip('link set pair1 master br0');
  const links = new Map(readLinks(calls).map((link) => [link.name, link]));
  assert.deepEqual(links.get('br0')?.details, { bridge: { spanningTree: true, vlanFiltering: false } });
  const port = links.get('pair1');
  assert.deepEqual([port?.masterIndex, port?.slaveKind], [index('br0'), 'bridge']);
  ip('link set pair1 nomaster');
});

test('readLinks() recognises a device whose peer is in another network namespace', { skip }, async () => {
  const elsewhere = spawn('unshare', ['--net', 'sleep', '60']);
  try {
    const networkOf = (pid: number | string) => readlinkSync(`/proc/${pid}/ns/net`);
    const pid = elsewhere.pid ?? assert.fail('it did not start');
    await eventually(() => networkOf(pid) !== networkOf('thread-self'), { what: 'another network' });
    ip('link add here type veth peer name there');
    ip(`link set there netns ${pid}`);
    const link = readLinks(calls).find(({ name }) => name === 'here');
    assert.equal(link?.isLinkHere, false);
    ip('link del here');
  } finally {
    elsewhere.kill('SIGKILL');
  }
});

test('readAddresses() agrees with ip', { skip }, () => {
  const link = index('pair0');
  const addresses = readAddresses(calls).filter(({ linkIndex, scope }) => linkIndex === link && scope === 0);
  const none = { broadcast: '', anycast: '', multicast: '', priority: 0, scope: 0, linkIndex: link };
  assert.deepEqual(addresses, [
    {
      ...none,
      family: 2,
      prefixLength: 24,
      flags: 128,
      address: '10.9.0.5',
      local: '10.9.0.5',
      broadcast: '10.9.0.255',
    },
    { ...none, family: 2, prefixLength: 32, flags: 128, address: '10.9.1.2', local: '10.9.1.1' },
    { ...none, family: 10, prefixLength: 64, flags: 130, address: 'fd09::5', local: '' },
  ]);
});

test('readRoutes() agrees with ip, for several next hops and other tables', { skip }, () => {
  const link = index('pair0');
  const routes = readRoutes(calls);
  const named = (destination: string, family = 2) =>
    routes.find(
      (route) => route.destination === destination && route.family === family && route.table !== 255,
    );
  const none = {
    source: '',
    gateway: '',
    linkIndex: link,
    flags: 0,
    mtu: 0,
    nextHops: [],
    isSelective: false,
    scope: 0,
    type: 1,
    protocol: 3,
  };
  const inet4 = { ...none, family: 2, table: 254, priority: 0 };
  assert.deepEqual(named('10.10.0.0/16'), {
    ...inet4,
    destination: '10.10.0.0/16',
    gateway: '10.9.0.1',
    priority: 77,
    mtu: 1300,
  });
  assert.deepEqual(named(''), { ...inet4, destination: '', gateway: '10.9.0.1' });
  assert.deepEqual(named('10.11.0.0/16'), {
    ...inet4,
    ...{ destination: '10.11.0.0/16', table: 100, linkIndex: 0 },
    nextHops: [
      { gateway: '10.9.0.1', linkIndex: link, weight: 1 },
      { gateway: '10.9.0.2', linkIndex: link, weight: 5 },
    ],
  });
  assert.deepEqual(named('fd0a::/64', 10), {
    ...inet4,
    family: 10,
    destination: 'fd0a::/64',
    gateway: 'fd09::1',
    priority: 1024,
  });
  assert.deepEqual(named('10.12.0.0/16'), { ...inet4, destination: '10.12.0.0/16', linkIndex: 0, type: 6 });
  assert.equal(
    routes.some(({ table, destination }) => table === 255 && destination === '10.9.0.5/32'),
    true,
  );
});

test('readRules() agrees with ip', { skip }, (t) => {
  try {
    ip('rule add from 10.9.0.0/24 to 10.10.0.0/16 iif pair0 fwmark 5/7 table 100 priority 4711');
  } catch {
    t.skip('this kernel has no rules');
    return;
  }
  // Programs differ in what they name as the protocol.
  const rules = readRules(calls).map(({ protocol: _, ...rule }) => rule);
  assert.deepEqual(
    rules.find(({ priority }) => priority === 4711),
    {
      ...{
        family: 2,
        source: '10.9.0.0/24',
        destination: '10.10.0.0/16',
        table: 100,
        priority: 4711,
        action: 1,
      },
      ...{ inputLink: 'pair0', outputLink: '', mark: 5, markMask: 7, isSelective: false },
    },
  );
  assert.deepEqual(
    rules.filter(({ family }) => family === 2).map(({ priority }) => priority),
    [0, 4711, 32766, 32767],
  );
});
