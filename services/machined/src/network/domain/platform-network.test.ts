import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parsePlatformNetwork } from './platform-network.ts';

const document = `
addresses:
  - { address: 10.0.0.2/24, linkName: bond0.5, layer: configuration }
  - { address: "fd00::2/64", linkName: eth0, family: inet4, scope: link, flags: "permanent,nodad" }
links:
  - { name: eth0, up: true, masterName: bond0, slaveIndex: 1 }
  - name: bond0
    logical: true
    kind: bond
    type: ether
    up: true
    bondMaster: { mode: 802.3ad, miimon: 100 }
  - { name: bond0.5, logical: true, kind: vlan, type: ether, parentName: bond0, vlan: { vlanID: 5 } }
routes:
  - { gateway: 10.0.0.1, outLinkName: bond0.5 }
  - { family: inet6, dst: "fd01::/64", gateway: "fd00::1", priority: 7, table: "100" }
hostnames: [{ hostname: node1, domainname: lab }]
resolvers: [{ dnsServers: [10.0.0.53], searchDomains: [lab.example] }]
timeServers: [{ timeServers: [time.example, 10.0.0.123, /dev/ptp0], useNTS: true }]
operators: [{ operator: dhcp4, linkName: eth1, dhcp4: { routeMetric: 5 } }]
externalIPs: [192.0.2.1]
unknown: { anything: true }
`;

test('the network in META has the layer of the platform, and the defaults of documents', () => {
  const { addresses, links, routes, hostnames, resolvers, timeServers, operators, externalIPs } =
    parsePlatformNetwork(document);
  assert.deepEqual(
    addresses.map(({ address, linkName, family, scope, flags, layer }) => [
      ...[address, linkName, family, scope, flags.join(), layer],
    ]),
    [
      ['10.0.0.2/24', 'bond0.5', 'inet4', 'global', 'permanent', 'platform'],
      ['fd00::2/64', 'eth0', 'inet6', 'link', 'nodad,permanent', 'platform'],
    ],
  );
  const [slave, bond, vlan] = links;
  assert.deepEqual(slave?.bondSlave, { masterName: 'bond0', slaveIndex: 1 });
  assert.deepEqual(
    [
      bond?.bondMaster.mode,
      bond?.bondMaster.miimon,
      bond?.bondMaster.useCarrier,
      bond?.bondMaster.numPeerNotif,
    ],
    ['802.3ad', 100, true, 1],
  );
  assert.deepEqual([vlan?.vlan, vlan?.layer], [{ vlanID: 5, vlanProtocol: '802.1q' }, 'platform']);
  assert.deepEqual(
    routes.map(({ family, dst, gateway, priority, table, type, protocol }) => [
      ...[family, dst, gateway, priority, table, type, protocol],
    ]),
    [
      ['inet4', '', '10.0.0.1', 1024, 'main', 'unicast', 'static'],
      ['inet6', 'fd01::/64', 'fd00::1', 7, '100', 'unicast', 'static'],
    ],
  );
  assert.deepEqual(hostnames, [{ hostname: 'node1', domainname: 'lab', layer: 'platform' }]);
  assert.deepEqual(resolvers[0]?.nameServers, [{ addr: '10.0.0.53', protocol: 'Do53', tlsServerName: '' }]);
  assert.deepEqual(timeServers[0]?.useNTS, false);
  assert.deepEqual(
    [operators[0]?.dhcp4.routeMetric, operators[0]?.layer, externalIPs],
    [5, 'platform', ['192.0.2.1']],
  );
  assert.deepEqual(parsePlatformNetwork(JSON.stringify({ hostnames: [{ hostname: 'a' }] })).hostnames, [
    { hostname: 'a', domainname: '', layer: 'platform' },
  ]);
  for (const nothing of ['', '# only a comment\n', '{}'])
    assert.deepEqual(parsePlatformNetwork(nothing).links, []);
});

/** As many as a value has room for. */
const manyKeys = Array.from({ length: 12_000 }, (_, at) => `k${at}: 1\n`).join('');
const many = (length: number, item: string) => Array.from({ length }, () => item).join(',');

test('a value that is damaged or hostile is refused in one line', () => {
  const long = 'x'.repeat(300);
  const cases: [string, RegExp][] = [
    ['[', /^it is not YAML: /],
    ['a: 1\na: 2', /^it is not YAML: Map keys must be unique/],
    ['links: [{ name: eth0, "name": eth1 }]', /^it is not YAML: Map keys must be unique/],
    ['1: a\n"1": b', /^it is not YAML: Map keys must be unique/],
    [`${manyKeys}k0: 1\n`, /^it is not YAML: Map keys must be unique/],
    ['a: &a [1]\nb: *a', /^it is not YAML: Alias resolution is disabled/],
    ['- 1', /^it must be a mapping$/],
    ['links: [{ name: 3 }]', /^links\[0\]\.name must be a text$/],
    [`links: [{ name: ${long} }]`, /^links\[0\]\.name "x{40}\.\.\." is not the name of a link$/],
    [
      'links: [{ name: "eth0\\n10.0.0.1 evil" }]',
      /^links\[0\]\.name "eth0\\n10.*" is not the name of a link$/,
    ],
    ['links: [{ name: sixteen-letters-, logical: true }]', /is not a name that a link can have/],
    ['addresses: [{ linkName: eth0 }]', /^addresses\[0\]\.address is missing$/],
    ['addresses: [{ address: 10.0.0.2/24 }]', /^addresses\[0\]\.linkName "" is not the name of a link$/],
    ['hostnames: [{ hostname: "a b" }]', /^hostnames\[0\] is not a host name$/],
    [`hostnames: [{ hostname: ${long} }]`, /^hostnames\[0\] is not a host name$/],
    ['resolvers: [{ searchDomains: ["a\\nnameserver 10.0.0.1"] }]', /searchDomains\[0\] is not a host$/],
    ['resolvers: [{ nameServers: [{}] }]', /^resolvers\[0\]\.nameServers\[0\] is not a server$/],
    ['timeServers: [{ timeServers: ["a\\u0007"] }]', /is not a host$/],
    ['timeServers: [{ timeServers: [/dev/sda] }]', /is not a host$/],
    ['operators: [{ operator: dhcp4, linkName: ../x }]', /^operators\[0\]\.linkName "\.\.\/x" is not/],
    ['routes: [{ outLinkName: "a b" }]', /^routes\[0\]\.outLinkName "a b" is not/],
    [`externalIPs: [${many(1001, '10.0.0.1')}]`, /^externalIPs has more than 1000 items$/],
    [' '.repeat(128 * 1024 + 1), /^it has more than 131072 bytes$/],
    ['['.repeat(100_000), /^it is not YAML: /],
    [`${'{a: '.repeat(30_000)}`, /^it is not YAML: /],
  ];
  for (const [text, message] of cases) {
    assert.throws(() => parsePlatformNetwork(text), { message }, text.slice(0, 60));
  }
});

test('unknown keys are ignored, however many there are', () => {
  assert.deepEqual(parsePlatformNetwork(manyKeys), parsePlatformNetwork(''));
});

test('property: a value with bytes changed is read or refused, and never gives a name that no link or host has', () => {
  const change = fc.record({
    at: fc.nat(document.length),
    remove: fc.nat(12),
    insert: fc.string({ maxLength: 6 }),
  });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      let text = document;
      for (const { at, remove, insert } of changes)
        text = text.slice(0, at) + insert + text.slice(at + remove);
      let network: ReturnType<typeof parsePlatformNetwork>;
      try {
        network = parsePlatformNetwork(text);
      } catch (error) {
        assert.ok(error instanceof Error);
        assert.doesNotMatch(error.message, /\n/);
        return;
      }
      for (const { name, layer } of network.links)
        assert.match(`${layer} ${name}`, /^platform [\w.@+-]{1,127}$/);
      for (const { hostname } of network.hostnames) assert.match(hostname, /^[a-zA-Z0-9-]{1,63}$/);
    }),
    { numRuns: 1000 },
  );
});
