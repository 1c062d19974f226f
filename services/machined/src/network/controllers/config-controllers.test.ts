import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { pointerTo, putResource, type ResourceKind } from '@nodewright/state';
import * as kinds from '@nodewright/state/kinds';
import { type WorldName, worlds } from '../../base/domain/world.ts';
import { commandLineLinks } from '../domain/command-line-links.ts';
import { CommandLineOperator } from '../domain/command-line-operator.ts';
import { networkControllers } from './network-controllers.ts';
import { NetworkProblems } from './network-problems.ts';
import { FakeNetwork, fakeLink, noLinkHardware } from './testing/fake-network.ts';

/** The specs of a machine with eth0 and eth1, by kind. */
async function specsOf(text: string | undefined, name: WorldName = 'machine', commandLine = '') {
  const network = new FakeNetwork();
  network.setLinks(
    fakeLink(1, 'lo', { hardwareType: 772 }),
    fakeLink(2, 'eth0', { altNames: ['enp2s0'] }),
    fakeLink(3, 'eth1'),
  );
  await using node = openTestRuntime({
    controllers: networkControllers({
      ...{
        world: worlds[name],
        addresses: ['127.0.0.9'],
        hostname: '',
        instanceType: '',
        network: async () => network,
        linkHardware: noLinkHardware,
      },
      ...{
        readResolvConf: async () => '',
        publish: () => {},
        operators: [new CommandLineOperator(commandLine, () => true)],
        commandLineLinks: commandLineLinks(commandLine),
        problems: new NetworkProblems(),
      },
    }),
  });
  const { state } = node;
  if (text !== undefined)
    await putResource(state, { ...pointerTo(kinds.machineConfigs, 'v1alpha1'), spec: text });
  await node.settled();
  const all = async <S>(kind: ResourceKind<S>, namespace: string = kind.namespace) =>
    new Map(
      (await state.list<S>({ namespace, type: kind.type })).map(({ metadata, spec }) => [metadata.id, spec]),
    );
  return {
    links: await all(kinds.linkSpecs),
    addresses: await all(kinds.addressSpecs),
    routes: await all(kinds.routeSpecs),
    rules: await all(kinds.routingRuleSpecs),
    operators: await all(kinds.operatorSpecs),
    probes: await all(kinds.probeSpecs),
    devices: await all(kinds.deviceConfigSpecs),
    layered: await all(kinds.linkSpecs, 'network-config'),
    failed: node.logged.filter(({ level }) => level === 'error' || level === 'warn'),
  };
}
const document = (kind: string, ...lines: string[]) =>
  ['apiVersion: v1alpha1', `kind: ${kind}`, ...lines, '---', ''].join('\n');
const legacy = (...interfaces: string[]) =>
  `version: v1alpha1\nmachine:\n  type: worker\n  network:\n    interfaces:\n${interfaces.map((line) => `      ${line}\n`).join('')}cluster: { controlPlane: { endpoint: "https://10.0.0.1:6443" } }\n`;

test('a machine without a configuration runs DHCP on all of its hardware links', async () => {
  const { links, addresses, operators, failed } = await specsOf(undefined);
  assert.deepEqual([...links.keys()], ['eth0', 'eth1', 'lo']);
  assert.deepEqual([...addresses.keys()], ['lo/127.0.0.1/8']);
  assert.deepEqual([...operators.keys()], ['dhcp4/eth0', 'dhcp4/eth1']);
  assert.deepEqual(operators.get('dhcp4/eth0')?.dhcp4, {
    ...{ routeMetric: 1024, skipHostnameRequest: false, skipRoutes: false },
    clientIdentifier: { clientIdentifier: 'mac', duidRawHex: '' },
  });
  assert.deepEqual(failed, []);
});

test('DHCP that nobody has configured has a metric for each link, above those of links that somebody has', async () => {
  const metricsOf = async (...of: Parameters<typeof specsOf>) =>
    [...(await specsOf(...of)).operators].map(([id, { layer, dhcp4 }]) => [id, layer, dhcp4.routeMetric]);
  assert.deepEqual(await metricsOf(undefined), [
    ['dhcp4/eth0', 'default', 1024],
    ['dhcp4/eth1', 'default', 1025],
  ]);
  const [, onEth1] = await metricsOf(undefined, 'machine', 'ip=eth0:dhcp');
  assert.deepEqual(onEth1, ['dhcp4/eth1', 'default', 2049]);
  const beside = [['dhcp4/eth1', 'default', 2048]];
  assert.deepEqual(await metricsOf(undefined, 'machine', 'ip=10.0.0.2::10.0.0.1:24::eth0:off'), beside);
  assert.deepEqual(await metricsOf(legacy('- interface: eth0', '  addresses: [10.0.0.2/24]')), beside);
});

test('a link below a VLAN of the command line still asks by default, and the VLAN and members of bonds do not', async () => {
  const ofVlan = await specsOf(undefined, 'machine', 'vlan=vlan5:eth0');
  assert.deepEqual([...ofVlan.operators.keys()], ['dhcp4/eth0', 'dhcp4/eth1']);
  assert.deepEqual(
    [...ofVlan.layered.keys()].filter((id) => id.startsWith('cmdline')),
    [...['cmdline/eth0', 'cmdline/eth0.5']],
  );
  const ofBond = await specsOf(undefined, 'machine', 'bond=bond0:eth0 vlan=vlan5:bond0 ip=vlan5:dhcp');
  assert.deepEqual([...ofBond.operators.keys()], ['dhcp4/bond0.5', 'dhcp4/eth1']);
  assert.equal(ofBond.operators.get('dhcp4/eth1')?.dhcp4.routeMetric, 2048);
});

test('an alternative name of a link is as good as its name for DHCP', async () => {
  const operatorsOf = async (text: string | undefined, commandLine: string) =>
    [...(await specsOf(text, 'machine', commandLine)).operators].map(([id, { layer }]) => [id, layer]);
  const other = ['dhcp4/eth1', 'default'];
  assert.deepEqual(await operatorsOf(undefined, 'ip=enp2s0:dhcp'), [['dhcp4/eth0', 'cmdline'], other]);
  assert.deepEqual(await operatorsOf(undefined, 'talos.network.interface.ignore=enp2s0'), [other]);
  assert.deepEqual(await operatorsOf(undefined, 'ip=10.0.0.2::10.0.0.1:24::enp2s0:off'), [other]);
  assert.deepEqual(await operatorsOf(document('DHCPv4Config', 'name: enp2s0'), ''), [
    ['dhcp4/eth0', 'configuration'],
  ]);
});

test('a node on a network that it does not own has no defaults', async () => {
  for (const name of ['process', 'stack', 'container'] as const) {
    const { links, operators, layered } = await specsOf(undefined, name);
    assert.deepEqual([links.size, operators.size, layered.size], [0, 0, 0], name);
  }
});

test('a document about one link disables the defaults of all', async () => {
  const { links, addresses, operators, routes } = await specsOf(
    document(
      'LinkConfig',
      'name: eth0',
      'mtu: 9000',
      'addresses: [{ address: 10.0.0.2/24, routePriority: 5 }, { address: "fd00::2/64" }]',
      'routes: [{ gateway: 10.0.0.1 }, { destination: 10.9.0.0/16, metric: 7, table: "42" }, { destination: "fd09::/64", gateway: "fd00::1" }]',
    ),
  );
  assert.deepEqual(
    [links.get('eth0')?.mtu, links.get('eth0')?.up, links.get('eth0')?.logical],
    [9000, true, false],
  );
  assert.deepEqual([...operators.keys()], []);
  assert.deepEqual([...addresses.keys()], ['eth0/10.0.0.2/24', 'eth0/fd00::2/64', 'lo/127.0.0.1/8']);
  assert.equal(addresses.get('eth0/10.0.0.2/24')?.priority, 5);
  assert.deepEqual(
    [...routes.keys()],
    ['42/inet4//10.9.0.0/16/7', 'eth0/inet6/fd00::1/fd09::/64/1024', 'inet4/10.0.0.1//1024'],
  );
  assert.deepEqual(routes.get('inet4/10.0.0.1//1024'), {
    ...{
      family: 'inet4',
      dst: '',
      src: '',
      gateway: '10.0.0.1',
      outLinkName: 'eth0',
      table: 'main',
      priority: 1024,
    },
    ...{
      scope: 'global',
      type: 'unicast',
      flags: [],
      protocol: 'static',
      layer: 'configuration',
      mtu: 0,
      nextHops: [],
    },
  });
  assert.equal(routes.get('42/inet4//10.9.0.0/16/7')?.scope, 'link');
});

test('virtual links are published with their settings', async () => {
  const { links } = await specsOf(
    document(
      'BondConfig',
      'name: bond0',
      'links: [eth0, eth1]',
      'bondMode: 802.3ad',
      'lacpRate: fast',
      'adLACPActive: "on"',
    ) +
      document('VLANConfig', 'name: bond0.7', 'vlanID: 7', 'parent: bond0') +
      document('BridgeConfig', 'name: br0', 'links: [bond0.7]', 'stp: { enabled: true }') +
      document('VethConfig', 'name: left', 'peer: { name: right }') +
      document('VRFConfig', 'name: vrf1', 'links: [left]', 'table: "99"') +
      document('DummyLinkConfig', 'name: dummy0', 'up: false'),
  );
  const bond = links.get('bond0');
  assert.deepEqual([bond?.logical, bond?.kind, bond?.bondMaster.mode], [true, 'bond', '802.3ad']);
  assert.deepEqual([bond?.bondMaster.lacpRate, bond?.bondMaster.adLacpActive], ['fast', 'on']);
  assert.deepEqual(links.get('eth1')?.bondSlave, { masterName: 'bond0', slaveIndex: 1 });
  const vlan = links.get('bond0.7');
  assert.deepEqual(
    [vlan?.kind, vlan?.parentName, vlan?.vlan],
    ['vlan', 'bond0', { vlanID: 7, vlanProtocol: '802.1q' }],
  );
  // The link has its own document and is also a member in another one.
  assert.equal(vlan?.bridgeSlave.masterName, 'br0');
  assert.equal(links.get('br0')?.bridgeMaster.stp.enabled, true);
  assert.deepEqual(
    [links.get('left')?.veth, links.get('right')?.veth],
    [{ peerName: 'right' }, { peerName: 'left' }],
  );
  assert.deepEqual(
    [links.get('vrf1')?.vrfMaster, links.get('left')?.vrfSlave.masterName],
    [{ table: '99' }, 'vrf1'],
  );
  assert.equal(links.get('dummy0')?.up, false);
});

test('rules, operators, probes and blackhole routes are published', async () => {
  const { rules, operators, probes, routes } = await specsOf(
    document('RoutingRuleConfig', 'name: "100"', 'src: 10.0.0.0/8', 'table: "42"') +
      document('RoutingRuleConfig', 'name: "101"', 'action: prohibit', 'iifName: eth0') +
      document('DHCPv4Config', 'name: eth0', 'routeMetric: 5') +
      document('DHCPv6Config', 'name: eth0', 'clientIdentifier: duid', 'duidRaw: "00:01"') +
      document('Layer2VIPConfig', 'name: 10.0.0.99', 'link: eth0') +
      document('TCPProbeConfig', 'name: p', 'endpoint: "10.0.0.1:443"', 'timeout: 3s') +
      document('HTTPProbeConfig', 'name: q', 'url: "https://example.org/"', 'interval: 5s') +
      document('BlackholeRouteConfig', 'name: 10.66.0.0/16'),
  );
  assert.deepEqual([...rules.keys()], ['inet4/00100', 'inet4/00101', 'inet6/00101']);
  assert.deepEqual([rules.get('inet6/00101')?.action, rules.get('inet4/00100')?.table], ['prohibit', '42']);
  assert.deepEqual([...operators.keys()], ['dhcp4/eth0', 'dhcp6/eth0', 'vip/eth0/10.0.0.99']);
  assert.equal(operators.get('dhcp4/eth0')?.dhcp4.routeMetric, 5);
  assert.deepEqual(operators.get('dhcp6/eth0')?.dhcp6.clientIdentifier, {
    clientIdentifier: 'duid',
    duidRawHex: '00:01',
  });
  assert.deepEqual([...probes.keys()], ['http:https://example.org/', 'tcp:10.0.0.1:443']);
  assert.deepEqual(probes.get('tcp:10.0.0.1:443')?.tcp, { endpoint: '10.0.0.1:443', timeout: 3000 });
  assert.equal(probes.get('http:https://example.org/')?.interval, 5000);
  assert.equal(routes.get('inet4//10.66.0.0/16/1024')?.type, 'blackhole');
});

test('the old list of interfaces gives the same specs, entry by entry', async () => {
  const { devices, links, addresses, routes, operators } = await specsOf(
    legacy(
      '- interface: eth0',
      '  mtu: 1400',
      '  addresses: [10.0.0.2/24, "10.0.0.3"]',
      '  routes: [{ network: 0.0.0.0/0, gateway: 10.0.0.1, metric: 9 }]',
      '  vlans: [{ vlanId: 5, addresses: [10.5.0.2/24], dhcp: true, dhcpOptions: { ipv6: true, duidv6: "00:03" } }]',
      '- deviceSelector: { hardwareAddr: "02:00:*:03", physical: true }',
      '  dhcp: true',
      '  dhcpOptions: { ipv6: true, routeMetric: 3 }',
      '  vip: { ip: 10.0.0.99 }',
      '- interface: eth9',
      '  ignore: true',
      '  addresses: [10.9.9.9/24]',
    ),
  );
  assert.deepEqual([...devices.keys()], ['eth0/000', 'eth1/001', 'eth9/002']);
  assert.deepEqual([...links.keys()], ['eth0', 'eth0.5', 'eth1', 'lo']);
  assert.deepEqual([links.get('eth0')?.mtu, links.get('eth0.5')?.parentName], [1400, 'eth0']);
  assert.deepEqual(
    [...addresses.keys()],
    [...['eth0.5/10.5.0.2/24', 'eth0/10.0.0.2/24', 'eth0/10.0.0.3/32', 'lo/127.0.0.1/8']],
  );
  assert.deepEqual([...routes.keys()], ['inet4/10.0.0.1//9']);
  const dhcp = ['dhcp4/eth0.5', 'dhcp4/eth1', 'dhcp6/eth0.5', 'dhcp6/eth1'];
  assert.deepEqual([...operators.keys()], [...dhcp, 'vip/eth1/10.0.0.99']);
  const idOf = (name: string) => operators.get(`dhcp6/${name}`)?.dhcp6.clientIdentifier;
  assert.deepEqual(idOf('eth0.5'), { clientIdentifier: 'duid', duidRawHex: '00:03' });
  assert.deepEqual(idOf('eth1'), { clientIdentifier: 'none', duidRawHex: '' });
  assert.equal(operators.get('dhcp6/eth1')?.dhcp6.routeMetric, 3);
  assert.equal(operators.get('vip/eth1/10.0.0.99')?.vip.gratuitousARP, true);
});

test('an address that the API of a cloud moves is published, but not announced', async () => {
  const { operators } = await specsOf(
    legacy('- interface: eth0', '  vip: { ip: 10.0.0.99, hcloud: { apiToken: example } }'),
  );
  const { gratuitousARP, hcloud } = operators.get('vip/eth0/10.0.0.99')?.vip ?? assert.fail();
  assert.deepEqual([gratuitousARP, hcloud.apiToken], [false, '']);
});
