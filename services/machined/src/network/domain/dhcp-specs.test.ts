import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeMessage, type LeaseOffer, offerOf } from '@nodewright/dhcp';
import { realMessages } from '@nodewright/dhcp/testing';
import { fakeLink } from '../controllers/testing/fake-network.ts';
import { commandLineLinks } from './command-line-links.ts';
import { CommandLineOperator } from './command-line-operator.ts';
import { encodeLeaseFile, leaseKey, parseLeaseFile, withLease } from './dhcp-lease-file.ts';
import { type DhcpOutputFacts, dhcpOutput, dhcpSettings } from './dhcp-specs.ts';
import { plainOperator } from './operator-documents.ts';

const outputOf = (
  settings: typeof dhcp4,
  lease: LeaseOffer | undefined,
  more: Partial<DhcpOutputFacts> = {},
) => dhcpOutput('eth0', settings, { lease, hasCarrier: true, given: new Set(), ...more });
const { dhcp4 } = plainOperator('dhcp4', 'eth0', 'default');
const read = offerOf(decodeMessage(realMessages.ack));
const lease: LeaseOffer =
  'reason' in read ? assert.fail(read.reason) : { ...read, nameServers: ['10.77.0.3'] };
const hardware = '02:00:00:00:00:09';

test('a lease becomes an address, routes, an MTU, a name, resolvers and time servers', () => {
  const output = outputOf({ ...dhcp4, routeMetric: 300 }, lease);
  assert.equal(output.prefix, 'dhcp4/eth0');
  assert.deepEqual(
    output.addresses?.map(({ address, linkName, priority, flags, layer }) => [
      address,
      linkName,
      priority,
      flags,
      layer,
    ]),
    [['10.77.0.52/24', 'eth0', 300, ['permanent'], 'operator']],
  );
  assert.deepEqual(
    output.links?.map(({ name, up, mtu, layer }) => [name, up, mtu, layer]),
    [['eth0', true, 1400, 'operator']],
  );
  assert.deepEqual(
    output.routes?.map(({ dst, gateway, src, scope, protocol, priority }) => [
      dst,
      gateway,
      src,
      scope,
      protocol,
      priority,
    ]),
    [
      ['10.8.0.0/16', '10.77.0.9', '10.77.0.52', 'global', 'boot', 300],
      ['', '10.77.0.1', '10.77.0.52', 'global', 'boot', 300],
    ],
  );
  assert.deepEqual(output.hostname, { hostname: 'nodea', domainname: 'example.net', layer: 'operator' });
  assert.deepEqual(output.resolvers?.dnsServers, ['10.77.0.3']);
  assert.deepEqual(output.resolvers?.searchDomains, ['example.org', 'lab.example.org', 'example.net']);
  assert.deepEqual(output.timeServers, { timeServers: ['10.77.0.7'], useNTS: false, layer: 'operator' });
});

test('a gateway outside of the network gets a route of its own, once, unless the server sends one', () => {
  const routes = [
    { destination: '10.8.0.0', prefixLength: 16, gateway: '10.1.1.1' },
    { destination: '0.0.0.0', prefixLength: 0, gateway: '10.1.1.1' },
    { destination: '10.2.2.2', prefixLength: 32, gateway: '0.0.0.0' },
    { destination: '10.9.0.0', prefixLength: 16, gateway: '10.2.2.2' },
  ];
  assert.deepEqual(
    outputOf(dhcp4, { ...lease, routes }).routes?.map(({ dst, gateway, scope, priority }) => [
      dst,
      gateway,
      scope,
      priority,
    ]),
    [
      ['10.1.1.1/32', '', 'link', 1024],
      ['10.8.0.0/16', '10.1.1.1', 'global', 1024],
      ['', '10.1.1.1', 'global', 1024],
      ['10.2.2.2/32', '', 'link', 1024],
      ['10.9.0.0/16', '10.2.2.2', 'global', 1024],
    ],
  );
});

test('without a lease the link is up, and what is ignored is left out', () => {
  const { prefix, links = [], ...rest } = outputOf(dhcp4, undefined);
  assert.deepEqual([prefix, links.map(({ up, mtu }) => [up, mtu]), rest], ['dhcp4/eth0', [[true, 0]], {}]);
  const { hostname, routes } = outputOf({ ...dhcp4, skipHostnameRequest: true, skipRoutes: true }, lease);
  assert.deepEqual([hostname, routes], [undefined, []]);
  const bare = { ...lease, nameServers: [], searchDomains: [], timeServers: [], hostname: undefined };
  const output = outputOf(dhcp4, bare);
  assert.deepEqual(
    [output.hostname, output.resolvers, output.timeServers],
    [undefined, undefined, undefined],
  );
});

test('a link without a carrier keeps its address and has no routes, and what is given is not taken', () => {
  const away = outputOf(dhcp4, lease, { hasCarrier: false });
  assert.deepEqual([away.addresses?.length, away.routes], [1, []]);
  const { hostname, resolvers, timeServers, routes } = outputOf(dhcp4, lease, {
    given: new Set(['hostname', 'resolvers', 'timeServers']),
  });
  assert.deepEqual([hostname, resolvers, timeServers, routes?.length], [undefined, undefined, undefined, 2]);
});

test('a client has the id that its specification names, and none for a DUID that is not one', () => {
  const idOf = (clientIdentifier: 'none' | 'mac' | 'duid', duidRawHex = '') => {
    const { clientId } = dhcpSettings(hardware, {
      ...dhcp4,
      clientIdentifier: { clientIdentifier, duidRawHex },
    });
    return clientId && Buffer.from(clientId).toString('hex');
  };
  assert.deepEqual(
    [idOf('none'), idOf('mac'), idOf('duid', '00:03:0a'), idOf('duid', 'ffee')],
    [undefined, '01020000000009', '00030a', 'ffee'],
  );
  for (const wrong of ['', '0', 'zz', '00:0', 'ff'.repeat(131)]) assert.equal(idOf('duid', wrong), undefined);
  assert.equal(dhcpSettings(hardware, { ...dhcp4, skipHostnameRequest: true }).wantsHostname, false);
});

test('a file of leases is read as it was written, and a damaged one as far as it is sound', () => {
  const key = leaseKey('eth0', hardware);
  const leases = withLease(withLease(new Map(), key, '10.0.0.5'), leaseKey('eth1', hardware), '10.0.0.6');
  const text = encodeLeaseFile(leases);
  assert.deepEqual(parseLeaseFile(text), leases);
  assert.equal(withLease(leases, key, '10.0.0.5'), leases);
  assert.deepEqual([...withLease(leases, key, undefined).values()], ['10.0.0.6']);
  for (const damaged of [
    '',
    '{',
    '[]',
    'null',
    '{"addresses": []}',
    text.slice(0, -20),
    ' '.repeat(20_000) + text,
  ])
    assert.equal(parseLeaseFile(damaged).size, 0, damaged.trim());
  for (const address of ['10.0.0.256', '10.0.0', '127.0.0.1', '', 5, null, '10.0.0.1\n'])
    assert.equal(parseLeaseFile(JSON.stringify({ addresses: { [key]: address } })).size, 0);
  assert.equal(parseLeaseFile(JSON.stringify({ addresses: { 'a b c': '10.0.0.1' } })).size, 0);
  let many: ReturnType<typeof parseLeaseFile> = new Map();
  for (let index = 0; index < 200; index += 1)
    many = withLease(many, leaseKey(`e${index}`, hardware), '10.0.0.5');
  assert.deepEqual([many.size, [...many.keys()].at(-1)], [64, leaseKey('e199', hardware)]);
});

test('the command line asks for DHCP on links, and names links to ignore', () => {
  const words = 'quiet ip=dhcp ip=eth1:dhcp ip=:::::eth2:on ip=eth1:dhcp ip=10.0.0.1:::24::eth3 ip=-:bootp';
  const ignore =
    'talos.network.interface.ignore=eth4 talos.network.interface.ignore=eth5 talos.network.interface.ignore=';
  const { operators, ignored } = commandLineLinks(`${words} ${ignore}`);
  assert.deepEqual(
    operators.map(({ operator, linkName, layer, dhcp4: { routeMetric, clientIdentifier } }) => [
      operator,
      linkName,
      layer,
      routeMetric,
      clientIdentifier.clientIdentifier,
    ]),
    [
      ['dhcp4', 'eth1', 'cmdline', 1024, 'none'],
      ['dhcp4', 'eth2', 'cmdline', 1024, 'none'],
    ],
  );
  assert.deepEqual([...ignored], ['eth4', 'eth5']);
});

test('the command line may write an address that is not given as 0.0.0.0 where it asks for one', () => {
  const { operators } = commandLineLinks(
    'ip=0.0.0.0:::::eth0:dhcp ip=0.0.0.0:0.0.0.0:0.0.0.0:0.0.0.0::eth1:on',
  );
  assert.deepEqual(
    operators.map(({ linkName }) => linkName),
    ['eth0', 'eth1'],
  );
});

test('the command line says which links and settings are its own, by whatever name of a link', () => {
  const operator = new CommandLineOperator('ip=10.0.0.2::10.0.0.1:24:node1:enp2s0:off:10.0.0.53');
  operator.react({
    kernelLinks: [fakeLink(1, 'lo'), fakeLink(2, 'eth0', { altNames: ['enp2s0'] }), fakeLink(3, 'eth1')],
  });
  assert.deepEqual(
    ['eth0', 'eth1'].map((name) => operator.hasLink(name)),
    [true, false],
  );
  assert.deepEqual([...operator.given()], ['hostname', 'resolvers']);
  assert.deepEqual([...new CommandLineOperator('ip=10.0.0.2').given()], []);
});
