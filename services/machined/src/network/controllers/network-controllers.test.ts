import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import { pointerTo, putResource, type ResourceKind, type State } from '@nodewright/state';
import * as kinds from '@nodewright/state/kinds';
import { worlds } from '../../base/domain/world.ts';
import type { NodeEvent } from '../../life/domain/node-event.ts';
import { CommandLineOperator } from '../domain/command-line-operator.ts';
import { type NetworkControllersInit, networkControllers } from './network-controllers.ts';
import { NetworkProblems } from './network-problems.ts';
import { FakeNetwork, fakeAddress, fakeLink, fakeRoute, noLinkHardware } from './testing/fake-network.ts';

const { machineConfigs } = kinds;

function openNode(init: Partial<NetworkControllersInit> = {}) {
  const network = new FakeNetwork();
  const events: NodeEvent[] = [];
  const node = openTestRuntime({
    controllers: networkControllers({
      ...{ world: worlds.container, addresses: ['10.0.0.2'], hostname: 'node01', instanceType: '' },
      ...{ network: async () => network, readResolvConf: async () => 'nameserver 10.0.0.53\nsearch lab\n' },
      publish: (event) => events.push(event),
      ...{ linkHardware: noLinkHardware, operators: [], problems: new NetworkProblems() },
      ...init,
    }),
  });
  const { state } = node;
  return {
    network,
    events,
    ...{ state, settled: node.settled, advance: node.advance, logged: node.logged, timers: node.timers },
    configure: (text: string) => putResource(state, { ...pointerTo(machineConfigs, 'v1alpha1'), spec: text }),
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  };
}

async function specs<S>(
  state: State,
  kind: ResourceKind<S>,
  namespace = kind.namespace,
): Promise<Record<string, S>> {
  const list = await state.list<S>({ namespace, type: kind.type });
  return Object.fromEntries(list.map(({ metadata, spec }) => [metadata.id, spec]));
}
const ids = async (state: State, kind: ResourceKind, namespace?: string) =>
  Object.keys(await specs(state, kind, namespace));

test('a node in a container has the addresses of the kernel, and follows them', async () => {
  await using node = openNode();
  const { network, state } = node;
  network.setLinks(fakeLink(1, 'lo', { hardwareType: 772, operationalState: 0 }), fakeLink(2, 'eth0'));
  network.setAddresses(fakeAddress(1, '127.0.0.1/8', { scope: 254 }), fakeAddress(2, '10.0.0.2/24'));
  network.setRoutes(fakeRoute(2, '', '10.0.0.1'));
  await node.settled();
  assert.deepEqual(await ids(state, kinds.linkStatuses), ['eth0', 'lo']);
  assert.deepEqual(await ids(state, kinds.addressStatuses), ['eth0/10.0.0.2/24', 'lo/127.0.0.1/8']);
  assert.deepEqual(await ids(state, kinds.routeStatuses), ['inet4/10.0.0.1//1024']);
  assert.deepEqual(await specs(state, kinds.hardwareAddresses), {
    first: { name: 'eth0', hardwareAddr: '02:00:00:00:00:02' },
  });
  const at = (...addresses: string[]) => ({ addresses, sortAlgorithm: 'v1' });
  assert.deepEqual(await specs(state, kinds.nodeAddresses), {
    accumulative: at('10.0.0.2/24'),
    current: at('10.0.0.2/24'),
    default: at('10.0.0.2/24'),
    routed: at('10.0.0.2/24'),
  });
  assert.deepEqual(await specs(state, kinds.networkStatuses), {
    status: { addressReady: true, connectivityReady: true, hostnameReady: true, etcFilesReady: false },
  });

  network.setAddresses(fakeAddress(2, '10.0.0.1/24'), fakeAddress(2, '10.0.0.2/24'));
  await node.settled();
  assert.deepEqual((await specs(state, kinds.nodeAddresses)).default, at('10.0.0.2/24'));
  network.setAddresses(fakeAddress(2, '10.0.0.1/24'));
  await node.settled();
  assert.deepEqual(await specs(state, kinds.nodeAddresses), {
    accumulative: at('10.0.0.1/24', '10.0.0.2/24'),
    current: at('10.0.0.1/24'),
    default: at('10.0.0.1/24'),
    routed: at('10.0.0.1/24'),
  });
  network.setRoutes();
  await node.settled();
  assert.equal((await specs(state, kinds.networkStatuses)).status?.connectivityReady, false);
});

test('a node of processes has its configured addresses, whatever the host has', async () => {
  await using node = openNode({ world: worlds.process, addresses: ['127.5.6.2', '127.5.6.1'] });
  const { network, state } = node;
  network.setLinks(fakeLink(2, 'eth0'));
  network.setAddresses(fakeAddress(2, '10.0.0.2/24'));
  await node.settled();
  const addresses = Object.entries(await specs(state, kinds.nodeAddresses)).map(([id, spec]) => [
    id,
    spec.addresses,
  ]);
  const both = ['127.5.6.2/32', '127.5.6.1/32'];
  assert.deepEqual(addresses, [
    ['accumulative', both],
    ['current', both],
    ['default', ['127.5.6.2/32']],
    ['routed', both],
  ]);
  assert.equal((await specs(state, kinds.networkStatuses)).status?.connectivityReady, true);
  assert.deepEqual(await ids(state, kinds.addressSpecs), ['lo/127.5.6.1/32', 'lo/127.5.6.2/32']);
});

test('a machine follows the network in META, and keeps what it has when a value is damaged', async () => {
  await using node = openNode({ world: worlds.machine, hostname: '', addresses: [] });
  const { state } = node;
  node.network.setLinks(fakeLink(2, 'eth0'), fakeLink(3, 'eth1'));
  const write = (value: string) =>
    putResource(state, { ...pointerTo(kinds.metaKeys, '0x0a'), spec: { value } });
  const platform = async () => ({
    addresses: (await ids(state, kinds.addressSpecs, 'network-config')).filter((id) =>
      id.startsWith('platform'),
    ),
    operators: await ids(state, kinds.operatorSpecs),
    hostname: (await specs(state, kinds.hostnameStatuses)).hostname?.hostname,
  });
  await write(
    'addresses: [{ address: 10.0.0.2/24, linkName: eth0 }]\nlinks: [{ name: eth0, up: true }]\nhostnames: [{ hostname: one }, { hostname: two }]',
  );
  await node.settled();
  const first = {
    ...{ addresses: ['platform/eth0/10.0.0.2/24'], operators: ['dhcp4/eth1'], hostname: 'two' },
  };
  assert.deepEqual(await platform(), first);
  await write('addresses: [{ address: 10.0.0.2 }]');
  await node.settled();
  assert.deepEqual(await platform(), first);
  const errors = () => node.logged.filter(({ level }) => level === 'error');
  assert.deepEqual(
    errors().map(({ error }) => error),
    ['addresses[0].address must be an address with a prefix length'],
  );
  await node.advance(120_000);
  assert.equal(errors().length, 1);
  await write('{"addresses": [{ "address": "10.0.0.3/24", "linkName": "eth0" }]}');
  await node.settled();
  assert.deepEqual((await platform()).addresses, ['platform/eth0/10.0.0.3/24']);
  await state.destroy(pointerTo(kinds.metaKeys, '0x0a'));
  await node.settled();
  assert.deepEqual((await platform()).operators, ['dhcp4/eth0', 'dhcp4/eth1']);
  assert.deepEqual((await platform()).addresses, []);
});

test('a node that is no machine takes nothing from META', async () => {
  await using node = openNode();
  await putResource(node.state, {
    ...pointerTo(kinds.metaKeys, '0x0a'),
    spec: { value: 'hostnames: [{ hostname: other }]' },
  });
  await node.settled();
  assert.equal((await specs(node.state, kinds.hostnameStatuses)).hostname?.hostname, 'node01');
});

test('links do not wait until the devices are known', async () => {
  await using node = openNode();
  node.network.setLinks(fakeLink(2, 'eth0'));
  await node.settled();
  assert.deepEqual(await ids(node.state, kinds.linkStatuses), ['eth0']);
});

test('a hostname in the configuration overrides that of the platform, and takes effect at once', async () => {
  await using node = openNode();
  const { state } = node;
  await node.settled();
  const named = async () => (await specs(state, kinds.hostnameStatuses)).hostname;
  assert.deepEqual(await named(), { hostname: 'node01', domainname: '' });
  await node.configure('apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: alpha.lab.example\n');
  await node.settled();
  assert.deepEqual(await named(), { hostname: 'alpha', domainname: 'lab.example' });
  assert.deepEqual(await ids(state, kinds.hostnameSpecs, 'network-config'), [
    'configuration/hostname',
    'platform/hostname',
  ]);
  assert.deepEqual((await specs(state, kinds.resolverStatuses)).resolvers, {
    dnsServers: ['10.0.0.53'],
    nameServers: [{ addr: '10.0.0.53', protocol: 'Do53', tlsServerName: '' }],
    searchDomains: ['lab.example', 'lab'],
  });
  await node.configure('apiVersion: v1alpha1\nkind: HostnameConfig\nauto: "off"\n');
  await node.settled();
  assert.deepEqual(await named(), { hostname: 'node01', domainname: '' });
});

test('every network controller owns its resources, and the merge controller owns the merged specs', async () => {
  await using node = openNode();
  await node.settled();
  const owner = async (kind: ResourceKind, namespace: string, id: string) =>
    (await node.state.get({ namespace, type: kind.type, id })).metadata.owner;
  assert.equal(
    await owner(kinds.hostnameSpecs, 'network', 'hostname'),
    'HostnameMergeControllers.net.talos.dev',
  );
  assert.equal(
    await owner(kinds.hostnameSpecs, 'network-config', 'platform/hostname'),
    'network.PlatformConfigApplyController',
  );
  assert.equal(
    await owner(kinds.timeServerSpecs, 'network-config', 'default/timeservers'),
    'network.TimeServerConfigController',
  );
  assert.equal(
    await owner(kinds.platformMetadatas, 'runtime', 'platformmetadata'),
    'network.PlatformConfigApplyController',
  );
});

test('addresses of Kubernetes have filters of their own in a cluster', async () => {
  await using node = openNode();
  const { state, network } = node;
  network.setLinks(fakeLink(2, 'eth0'));
  network.setAddresses(fakeAddress(2, '10.0.0.2/24'), fakeAddress(2, '10.244.0.1/32'));
  await node.configure(
    'version: v1alpha1\nmachine: { type: worker }\ncluster: { controlPlane: { endpoint: "https://10.0.0.1:6443" } }\n',
  );
  await node.settled();
  const addresses = await specs(state, kinds.nodeAddresses);
  assert.deepEqual(addresses.current?.addresses, ['10.0.0.2/24', '10.244.0.1/32']);
  assert.deepEqual(addresses['current-no-k8s']?.addresses, ['10.0.0.2/24']);
  assert.deepEqual(addresses['current-only-k8s']?.addresses, ['10.244.0.1/32']);
  assert.deepEqual(Object.keys(addresses), [
    ...['accumulative', 'accumulative-no-k8s', 'accumulative-only-k8s'],
    ...['current', 'current-no-k8s', 'current-only-k8s', 'default'],
    ...['routed', 'routed-no-k8s', 'routed-only-k8s'],
  ]);
  assert.deepEqual(await specs(state, kinds.nodenames), {
    nodename: { nodename: 'node01', hostnameVersion: '1', skipNodeRegistration: false },
  });
  assert.deepEqual(node.events.at(-1), { kind: 'address', hostname: 'node01', addresses: ['10.0.0.2'] });
});

test('the contents of files below /etc are published', async () => {
  await using node = openNode({ world: worlds.process, addresses: ['127.5.6.2'], hostname: 'node01.lab' });
  await node.configure(
    'apiVersion: v1alpha1\nkind: StaticHostConfig\nname: 10.0.0.9\nhostnames: [Nine, ix]\n',
  );
  await node.settled();
  const files = await specs(node.state, kinds.etcFileSpecs);
  assert.deepEqual(files.hosts?.contents.split('\n'), [
    '127.0.0.1 localhost',
    '127.5.6.2 node01.lab node01',
    '::1       localhost ip6-localhost ip6-loopback',
    'ff02::1   ip6-allnodes',
    'ff02::2   ip6-allrouters',
    '10.0.0.9  Nine ix',
    '',
  ]);
  assert.equal(files['resolv.conf']?.contents, 'nameserver 10.0.0.53\n\nsearch lab\n');
  assert.deepEqual(await specs(node.state, kinds.staticHosts), {
    ix: { addresses: ['10.0.0.9'] },
    nine: { addresses: ['10.0.0.9'] },
    node01: { addresses: ['127.5.6.2'] },
    'node01.lab': { addresses: ['127.5.6.2'] },
  });
});

test('addresses are announced when they change, and again after ten minutes', async () => {
  await using node = openNode({ world: worlds.process, addresses: ['127.5.6.2'] });
  await node.settled();
  const event = { kind: 'address', hostname: 'node01', addresses: ['127.5.6.2'] };
  assert.deepEqual(node.events, [event]);
  node.network.setLinks(fakeLink(2, 'eth0'));
  await node.advance(9 * 60_000);
  assert.deepEqual(node.events, [event]);
  await node.advance(61_000);
  assert.deepEqual(node.events, [event, event]);
});

test('a clock that is set back does not delay the next announcement of the addresses', async () => {
  await using node = openNode({ world: worlds.process, addresses: ['127.5.6.2'] });
  await node.settled();
  node.timers.stepClock(-3_600_000);
  node.network.setLinks(fakeLink(2, 'eth0'));
  await node.advance(10 * 60_000);
  assert.equal(node.events.length, 2);
});

test('a kernel watch that breaks is opened again, and closed at the end', async () => {
  const node = openNode();
  const { network, state } = node;
  await node.settled();
  const count = network.watchCount;
  assert.equal(count, 5);
  network.breakWatches(new Fault('data-loss', 'netlink: a header of 3 bytes is cut short'));
  await node.settled();
  await node.advance(10_000);
  assert.equal(network.watchCount, count);
  network.setLinks(fakeLink(2, 'eth0'));
  await node.settled();
  assert.deepEqual(await ids(state, kinds.linkStatuses), ['eth0']);
  await node[Symbol.asyncDispose]();
  assert.equal(network.watchCount, 0);
});

test('a machine without an address says so as a diagnostic, and what to do, until it has one', async () => {
  const problems = new NetworkProblems();
  problems.set('routes', [{ subject: 'others', line: 'route default: there is no network device eth9' }]);
  const operators = [new CommandLineOperator('quiet ip=bootp')];
  await using node = openNode({ world: worlds.machine, addresses: [], hostname: '', operators, problems });
  const { network, state } = node;
  await node.settled();
  assert.deepEqual(await specs(state, kinds.diagnostics), {});
  network.setLinks(fakeLink(1, 'lo', { hardwareType: 772, operationalState: 0 }), fakeLink(2, 'eth0'));
  network.setAddresses(fakeAddress(1, '127.0.0.1/8', { scope: 254 }));
  // What a router or a cable that is gone leaves behind.
  network.setRoutes(fakeRoute(2, '', '10.0.0.1'));
  await node.settled();
  const { 'address-missing': problem, ...others } = await specs(state, kinds.diagnostics);
  assert.deepEqual(others, {});
  assert.match(
    problem?.message ?? '',
    /^the machine has no address: ip=bootp: "bootp" is not implemented: [^;]*$/,
  );
  assert.match(problem?.details.join('\n') ?? '', /or ip=<address>::.*\nlinks: eth0 up$/);
  const status = async () => (await specs(state, kinds.networkStatuses)).status;
  assert.deepEqual([(await status())?.addressReady, (await status())?.connectivityReady], [false, false]);
  network.setAddresses(fakeAddress(2, '10.0.0.2/24'));
  await node.settled();
  assert.deepEqual(await specs(state, kinds.diagnostics), {});
  assert.deepEqual([(await status())?.addressReady, (await status())?.connectivityReady], [true, true]);
});

test('what is not as it was asked for is a diagnostic of a machine with an address, and each line is logged once', async () => {
  const problems = new NetworkProblems();
  const operators = [new CommandLineOperator('ip=10.0.0.2:::24:a_b:eth0 ip=nonsense')];
  await using node = openNode({ world: worlds.machine, addresses: [], hostname: '', operators, problems });
  const { network, state } = node;
  network.setLinks(fakeLink(1, 'lo', { hardwareType: 772 }), fakeLink(2, 'eth0'));
  network.setAddresses(fakeAddress(2, '10.0.0.2/24'));
  problems.set('routes', [{ subject: 'others', line: 'route default: the link eth0 is down' }]);
  await node.settled();
  assert.deepEqual(await specs(state, kinds.diagnostics), {});
  const lines = () => node.logged.flatMap(({ error }) => (typeof error === 'string' ? [error] : []));
  assert.deepEqual(lines(), []);
  await node.advance(2000);
  const details = async () => (await specs(state, kinds.diagnostics))['network-incomplete']?.details ?? [];
  const expected = [/^ip=nonsense: address/, /"a_b" is not a host name$/, /^route default: the link eth0/];
  const shown = (await details()).toSorted();
  assert.equal(shown.length, expected.length);
  for (const pattern of expected)
    assert.ok(
      shown.some((line) => pattern.test(line)),
      String(pattern),
    );
  assert.deepEqual(lines().toSorted(), shown);
  problems.set('routes', []);
  await node.advance(2000);
  assert.equal((await details()).length, 2);
  assert.equal(lines().length, 3);
});

test('hundreds of problems with the network, and other ones each minute, log ten lines a minute', async () => {
  const problems = new NetworkProblems();
  await using node = openNode({ world: worlds.machine, addresses: [], hostname: '', problems });
  node.network.setLinks(fakeLink(2, 'eth0'));
  node.network.setAddresses(fakeAddress(2, '10.0.0.2/24'));
  await node.settled();
  const lines = () =>
    node.logged.filter(({ msg }) => String(msg).includes('of the network could not be set up'));
  for (let round = 0; round < 4; round += 1) {
    const line = (index: number) => `route ${round}.${index}: the kernel refuses it`;
    problems.set(
      'routes',
      Array.from({ length: 100 }, (_, index) => ({ subject: 'others', line: line(index) })),
    );
    await node.settled();
    await node.advance(15_000);
  }
  assert.equal(lines().length, 11);
  problems.set('routes', [{ subject: 'others', line: 'a later one' }]);
  await node.settled();
  await node.advance(15_000);
  assert.equal(lines().length, 12);
});

test('a machine with another address than one of ip= is not told that it lacks ip=', async () => {
  const problems = new NetworkProblems();
  const operators = [new CommandLineOperator('quiet')];
  await using node = openNode({ world: worlds.machine, addresses: [], hostname: '', operators, problems });
  node.network.setLinks(fakeLink(2, 'eth0'));
  node.network.setAddresses(fakeAddress(2, '10.0.0.2/24'));
  await node.settled();
  await node.advance(2000);
  assert.deepEqual(await specs(node.state, kinds.diagnostics), {});
  node.network.setAddresses();
  await node.settled();
  assert.match(
    (await specs(node.state, kinds.diagnostics))['address-missing']?.message ?? '',
    /ip= is not on the kernel's command line/,
  );
});

test('a machine whose DHCP client starts a moment later is not told that it lacks ip=', async () => {
  const problems = new NetworkProblems();
  let isAsking = false;
  const operators = [new CommandLineOperator('quiet', () => isAsking)];
  await using node = openNode({ world: worlds.machine, addresses: [], hostname: '', operators, problems });
  const message = async () => (await specs(node.state, kinds.diagnostics))['address-missing']?.message ?? '';
  node.network.setLinks(fakeLink(1, 'lo', { hardwareType: 772 }), fakeLink(2, 'eth0'));
  await node.settled();
  assert.equal(await message(), '');
  isAsking = true;
  node.network.setLinks(fakeLink(1, 'lo', { hardwareType: 772 }), fakeLink(2, 'eth0', { mtu: 1400 }));
  await node.settled();
  await node.advance(3000);
  assert.doesNotMatch(await message(), /ip=/);
});

test('a machine without a network device is told that, and not that it lacks ip=', async () => {
  const problems = new NetworkProblems();
  const operators = [new CommandLineOperator('quiet')];
  await using node = openNode({ world: worlds.machine, addresses: [], hostname: '', operators, problems });
  node.network.setLinks(fakeLink(1, 'lo', { hardwareType: 772 }));
  await node.settled();
  await node.advance(3000);
  const message = (await specs(node.state, kinds.diagnostics))['address-missing']?.message;
  assert.equal(
    message,
    'the machine has no address: there is no Ethernet device, or the image has no driver for it',
  );
});

test('the kernel of a machine has a host name before the network counts as named', async () => {
  let isWilling = false;
  const kernel: string[] = [];
  const hostnameEffect = {
    async set({ hostname }: { readonly hostname: string }) {
      if (!isWilling) throw new Fault('permission-denied', 'EPERM');
      kernel.push(hostname);
    },
  };
  await using node = openNode({ world: worlds.container, hostnameEffect });
  const isNamed = async () => (await specs(node.state, kinds.networkStatuses)).status?.hostnameReady;
  await node.settled();
  assert.equal(await isNamed(), false);
  isWilling = true;
  await node.advance(1000);
  assert.deepEqual([await isNamed(), kernel], [true, ['node01']]);
});

test('pods of a container with a loopback address as its resolver get other name servers, and a diagnostic says so', async () => {
  const written: string[] = [];
  let resolvConf = 'nameserver 127.0.0.11\nsearch lab\noptions ndots:0\n';
  await using node = openNode({
    podResolverEffect: { write: async (contents) => void written.push(contents) },
    readResolvConf: async () => resolvConf,
  });
  const { state } = node;
  const problem = async () => (await specs(state, kinds.diagnostics))['pod-resolver'];
  await node.settled();
  assert.equal(written.at(-1), 'nameserver 1.1.1.1\nnameserver 8.8.8.8\n\nsearch lab\n');
  // The node itself still asks the server of its engine, which knows the names of other containers.
  const ofNode = async () => (await specs(state, kinds.etcFileSpecs))['resolv.conf']?.contents;
  assert.equal(await ofNode(), 'nameserver 127.0.0.11\n\nsearch lab\n');
  assert.equal(await problem(), undefined);

  const cluster =
    'version: v1alpha1\nmachine: { type: worker }\ncluster: { controlPlane: { endpoint: "https://10.0.0.1:6443" } }\n';
  await node.configure(cluster);
  await node.settled();
  assert.match((await problem())?.details.join('\n') ?? '', /--dns/);

  resolvConf += '# ExtServers: [10.89.0.53]\n';
  await node.advance(60_000);
  assert.equal(written.at(-1), 'nameserver 10.89.0.53\n\nsearch lab\n');
  assert.equal(await problem(), undefined);

  await node.configure(
    `${cluster}---\napiVersion: v1alpha1\nkind: ResolverConfig\nnameservers: [{ address: 9.9.9.9 }]\n`,
  );
  await node.settled();
  assert.equal(written.at(-1), 'nameserver 9.9.9.9\n\nsearch lab\n');
  assert.equal(await ofNode(), 'nameserver 9.9.9.9\n\nsearch lab\n');
});
