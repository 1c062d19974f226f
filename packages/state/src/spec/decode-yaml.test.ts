import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { platformConfigsFields } from '../kinds/network/platform.ts';
import { specFromYaml } from './decode-yaml.ts';
import { defineSpec } from './define-spec.ts';
import { encodeYaml } from './encode-yaml.ts';

const { metadata: _metadata, probes: _probes, ...fields } = platformConfigsFields;
const codec = defineSpec(fields);
const decode = (value: unknown) => specFromYaml(fields, value, '');

test('specFromYaml() reads names of enumerations, flags, inlined fields and optional ones; others are empty', () => {
  const { links, addresses, routes } = decode({
    addresses: [{ address: '10.0.0.2/24', flags: 'nodad,permanent', scope: 'link', layer: null, other: 1 }],
    links: [
      { name: 'eth0', masterName: 'bond0', slaveIndex: 1, bondMaster: { mode: '802.3ad' }, multicast: true },
    ],
    routes: [{ table: '100', nextHops: [{ gateway: '10.0.0.1', weight: 3 }] }],
  });
  assert.deepEqual(addresses, [
    {
      ...{ address: '10.0.0.2/24', linkName: '', family: '', scope: 'link', flags: ['nodad', 'permanent'] },
      ...{ announceWithARP: false, priority: 0, layer: 'default' },
    },
  ]);
  assert.deepEqual(
    [
      links[0]?.bondSlave,
      links[0]?.bondMaster.mode,
      links[0]?.multicast,
      routes[0]?.table,
      routes[0]?.nextHops,
    ],
    [
      { masterName: 'bond0', slaveIndex: 1 },
      ...['802.3ad', true, '100'],
      [{ gateway: '10.0.0.1', outLinkName: '', weight: 3 }],
    ],
  );
});

test('specFromYaml() says where a value is wrong', () => {
  const cases: [unknown, RegExp][] = [
    ['text', /^it must be a mapping$/],
    [[], /^it must be a mapping$/],
    [{ links: {} }, /^links must be a list$/],
    [{ links: ['eth0'] }, /^links\[0\] must be a mapping$/],
    [{ links: [{ name: 5 }] }, /^links\[0\]\.name must be a text$/],
    [{ links: [{}, { up: 'yes' }] }, /^links\[1\]\.up must be true or false$/],
    [{ links: [{ mtu: -1 }] }, /^links\[0\]\.mtu must be a whole number from 0 to 4294967295$/],
    [{ links: [{ mtu: 1.5 }] }, /must be a whole number/],
    [{ links: [{ mtu: 2 ** 32 }] }, /must be a whole number/],
    [
      { links: [{ bondMaster: { mode: 'constructor' } }] },
      /^links\[0\]\.bondMaster\.mode must be one of balance-rr/,
    ],
    [{ links: [{ bondMaster: { mode: 77 } }] }, /must be one of balance-rr/],
    [{ links: [{ hardwareAddr: 'xx' }] }, /must be a hardware address/],
    [
      { addresses: [{ address: '10.0.0.2' }] },
      /^addresses\[0\]\.address must be an address with a prefix length$/,
    ],
    [{ addresses: [{ address: '10.0.0.2/33' }] }, /must be an address with a prefix length/],
    [{ addresses: [{ address: '10.0.0.2/24', flags: 'permanent,root' }] }, /flags must be one of temporary/],
    [{ addresses: [{ address: ['10.0.0.2/24'] }] }, /must be an address with a prefix length/],
    [{ links: [{ hardwareAddr: ['02:00:00:00:00:01'] }] }, /must be a hardware address/],
    [{ externalIPs: [['10.0.0.2']] }, /^externalIPs\[0\] must be an address$/],
    [{ externalIPs: ['fe80::1%eth0'] }, /^externalIPs\[0\] must be an address$/],
  ];
  for (const [value, message] of cases)
    assert.throws(() => decode(value), { message }, JSON.stringify(value));
});

test('specFromYaml() reads what encodeYaml() writes', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/);
  const network = fc.record({
    addresses: fc.array(
      fc.record({
        address: fc.constantFrom('10.0.0.2/24', 'fd00::2/64'),
        linkName: name,
        scope: fc.constantFrom('global', 'host'),
        flags: fc.constantFrom('', 'permanent', 'permanent,nodad'),
      }),
    ),
    links: fc.array(
      fc.record({ name, up: fc.boolean(), mtu: fc.nat(9000), multicast: fc.option(fc.boolean()) }),
    ),
    hostnames: fc.array(fc.record({ hostname: name }), { maxLength: 2 }),
    externalIPs: fc.constantFrom([], ['192.0.2.1']),
  });
  fc.assert(
    fc.property(network, (value) => {
      const spec = decode(value);
      assert.deepEqual(decode(parse(encodeYaml(codec.toYaml(spec)))), spec);
    }),
    { numRuns: 300 },
  );
});
