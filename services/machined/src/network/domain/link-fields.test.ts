// Each field of a bond reaches the specification, in both forms of the configuration.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { ConfigReader, type YamlMap, type YamlValue } from '@nodewright/machine-config';
import type { BondMasterSpec, LinkSpecSpec } from '@nodewright/state/kinds';
import { deviceLinks, expandEntries, maxDevices, maxSelectors, type PresentLink } from './device-configs.ts';
import { linkSpecsOf } from './link-documents.ts';
import { operatorSpecsOf } from './operator-documents.ts';

interface BondField {
  /** In BondConfig; undefined for one that only the old section has. */
  readonly document?: string;
  /** Below `machine.network.interfaces[].bond`. */
  readonly legacy?: string;
  readonly value: YamlValue;
  readonly spec: keyof BondMasterSpec;
}

/** A field with the same name in both. */
const both = (name: keyof BondMasterSpec, value: YamlValue): BondField => ({
  ...{ document: name, legacy: name, value, spec: name },
});

const bondFields: readonly BondField[] = [
  both('xmitHashPolicy', 'layer3+4'),
  both('arpValidate', 'active'),
  both('arpAllTargets', 'all'),
  both('primaryReselect', 'failure'),
  both('failOverMac', 'follow'),
  both('adSelect', 'bandwidth'),
  both('updelay', 200),
  both('downdelay', 300),
  both('minLinks', 2),
  both('lpInterval', 3),
  both('packetsPerSlave', 4),
  both('numPeerNotif', 5),
  both('allSlavesActive', 1),
  both('useCarrier', false),
  both('adActorSysPrio', 7),
  both('adUserPortKey', 8),
  { document: 'bondMode', legacy: 'mode', value: 'balance-tlb', spec: 'mode' },
  { document: 'resendIGMP', legacy: 'resendIgmp', value: 9, spec: 'resendIgmp' },
  { document: 'peerNotifDelay', legacy: 'peerNotifyDelay', value: 400, spec: 'peerNotifyDelay' },
  { document: 'tlbLogicalLb', legacy: 'tlbDynamicLb', value: 1, spec: 'tlbLogicalLb' },
  { document: 'missedMax', value: 6, spec: 'missedMax' },
];

for (const { document, legacy, value, spec } of bondFields) {
  test(`a bond has the ${spec} of its configuration`, () => {
    if (document !== undefined) {
      const fields = { name: 'bond0', links: ['eth0'], [document]: value };
      const bond = linkSpecsOf(new ConfigReader([{ kind: 'BondConfig', value: fields }]));
      assert.equal(bond.find(({ name }) => name === 'bond0')?.bondMaster[spec], value);
    }
    if (legacy !== undefined) {
      const bond = linksOfInterface({ interface: 'bond0', bond: { interfaces: ['eth0'], [legacy]: value } });
      assert.equal(bond.find(({ name }) => name === 'bond0')?.bondMaster[spec], value);
    }
  });
}

const wire = (name: string, hardware: object) =>
  ({
    name,
    spec: {
      ...{ type: 'ether', kind: '', busPath: '', hardwareAddr: '', permanentAddr: '', pciID: '', driver: '' },
      masterIndex: 0,
      ...hardware,
    },
  }) as PresentLink;

function linksOfInterface(entry: YamlMap, links: readonly PresentLink[] = [wire('eth0', {})]) {
  const value = { version: 'v1alpha1', machine: { network: { interfaces: [entry] } } };
  const reader = new ConfigReader([{ kind: 'v1alpha1', value }]);
  const { devices } = expandEntries(reader.legacy.items('machine', 'network', 'interfaces'), links);
  return deviceLinks(devices, links);
}

function expandedEntries(interfaces: readonly YamlMap[], links: readonly PresentLink[]) {
  const value = { version: 'v1alpha1', machine: { network: { interfaces } } };
  const { legacy } = new ConfigReader([{ kind: 'v1alpha1', value }]);
  const { devices, problems } = expandEntries(legacy.items('machine', 'network', 'interfaces'), links);
  return { names: devices.map(({ name }) => name), problems };
}

test('the links of a bond are selected by their permanent address and their PCI device', () => {
  const links = [
    wire('eth0', { permanentAddr: '02:00:00:00:00:01' }),
    wire('eth1', { pciID: '8086:10D3' }),
    wire('eth2', {}),
  ];
  const deviceSelectors = [{ permanentAddr: '02:00:00:00:00:01' }, { pciID: '8086:10D3' }];
  const specs = linksOfInterface({ interface: 'bond0', bond: { deviceSelectors } }, links);
  const members = specs.filter(({ bondSlave }) => bondSlave.masterName === 'bond0');
  assert.deepEqual(
    members.map(({ name }) => name),
    ['eth0', 'eth1'],
  );
});

const membersOf = (specs: readonly LinkSpecSpec[]) =>
  specs.filter(({ bondSlave }) => bondSlave.masterName === 'bond0').map(({ name }) => name);
const [firstAddr, secondAddr] = ['02:00:00:00:00:01', '02:00:00:00:00:02'];

test('a bond keeps the members that are selected by their address while they have the address of the bond', () => {
  const deviceSelectors = [{ hardwareAddr: firstAddr }, { hardwareAddr: secondAddr }];
  const joined = { hardwareAddr: firstAddr, masterIndex: 9 };
  const links = [
    wire('bond0', { kind: 'bond', hardwareAddr: firstAddr }),
    wire('eth0', { ...joined, permanentAddr: firstAddr }),
    wire('eth1', { ...joined, permanentAddr: secondAddr }),
  ];
  const specs = linksOfInterface({ interface: 'bond0', bond: { deviceSelectors } }, links);
  assert.deepEqual(membersOf(specs), ['eth0', 'eth1']);
});

test('a bond that there is stays with the members that remain when one of its devices is gone', () => {
  const deviceSelectors = [{ permanentAddr: firstAddr }, { permanentAddr: secondAddr }];
  const entry = { interface: 'bond0', bond: { deviceSelectors }, vlans: [{ vlanId: 7 }] };
  const remaining = wire('eth0', { permanentAddr: firstAddr });
  assert.deepEqual(linksOfInterface(entry, [remaining]), []);
  const specs = linksOfInterface(entry, [wire('bond0', { kind: 'bond' }), remaining]);
  assert.deepEqual(
    specs.map(({ name }) => name),
    ['bond0', 'eth0', 'bond0.7'],
  );
  const ofHardware = linksOfInterface(entry, [wire('bond0', {}), remaining]);
  assert.deepEqual(ofHardware, [], 'a device that is named like the bond is no bond');
});

test('a selector matches devices, and not the links above them that have the same address', () => {
  const links = [
    wire('eth0', { hardwareAddr: firstAddr }),
    wire('eth0.7', { hardwareAddr: firstAddr, kind: 'vlan' }),
    wire('br0', { hardwareAddr: firstAddr, kind: 'bridge' }),
    wire('lo', { hardwareAddr: '00:00:00:00:00:00', type: 'loopback' }),
  ];
  const namesOf = (deviceSelector: YamlMap) =>
    linksOfInterface({ deviceSelector }, links).map(({ name }) => name);
  assert.deepEqual(namesOf({ hardwareAddr: firstAddr }), ['eth0']);
  assert.deepEqual(namesOf({ hardwareAddr: '*' }), ['eth0']);
  assert.deepEqual(namesOf({ hardwareAddr: firstAddr, physical: false }), ['eth0.7', 'br0']);
});

const selectable = [
  wire('eth0', {
    ...{ hardwareAddr: firstAddr, permanentAddr: firstAddr, busPath: '0000:01:00.0' },
    ...{ pciID: '8086:10D3', driver: 'e1000e' },
  }),
  wire('eth1', {
    ...{ hardwareAddr: firstAddr, permanentAddr: secondAddr, busPath: '0000:01:00.1' },
    ...{ pciID: '1AF4:1000', driver: 'virtio_net' },
  }),
  wire('eth0.7', { hardwareAddr: firstAddr, kind: 'vlan' }),
];

const selectorRows: readonly (readonly [selector: YamlMap, ...names: string[]])[] = [
  [{ busPath: '0000:01:00.1' }, 'eth1'],
  [{ busPath: '0000:01:*' }, 'eth0', 'eth1'],
  [{ busPath: '0000:01:00.?' }, 'eth0', 'eth1'],
  [{ hardwareAddr: firstAddr }, 'eth0', 'eth1'],
  [{ hardwareAddr: '*:0F' }],
  [{ permanentAddr: secondAddr.toUpperCase() }, 'eth1'],
  [{ permanentAddr: '02:*:02' }, 'eth1'],
  [{ pciID: '8086:10d3' }, 'eth0'],
  [{ pciID: '1AF4:*' }, 'eth1'],
  [{ driver: 'virtio*' }, 'eth1'],
  [{ driver: 'virtio' }],
  [{ driver: '*', hardwareAddr: firstAddr }, 'eth0', 'eth1'],
  [{ driver: 'e1000e', pciID: '1AF4:*' }],
  [{ physical: true }, 'eth0', 'eth1'],
  [{ physical: false }, 'eth0.7'],
  [{ physical: true, driver: 'e1000e' }, 'eth0'],
  [{}],
];

for (const [deviceSelector, ...names] of selectorRows)
  test(`the selector ${JSON.stringify(deviceSelector)} matches ${names.join(', ') || 'nothing'}`, () => {
    const entry = expandedEntries([{ deviceSelector }], selectable);
    assert.deepEqual(entry.names, names);
    const none = 'machine.network.interfaces[0]: its deviceSelector matches no link';
    assert.deepEqual(entry.problems, names.length === 0 ? [none] : []);
    const bond = linksOfInterface(
      { interface: 'bond0', bond: { deviceSelectors: [deviceSelector] } },
      selectable,
    );
    assert.deepEqual(membersOf(bond), names, 'of a bond');
  });

test('entries, selectors and patterns beyond the limits have no effect, and their evaluation takes little time', () => {
  const links = Array.from({ length: 1000 }, (_, index) =>
    wire(`pod${index}`, { kind: 'veth', driver: 'veth'.repeat(8) }),
  );
  const hard = {
    physical: false,
    driver: `${'*v'.repeat(60)}x`,
    busPath: '*',
    pciID: '*',
    hardwareAddr: '*',
  };
  const start = process.cpuUsage();
  const many = expandedEntries(
    Array.from({ length: 5000 }, () => ({
      deviceSelector: hard,
      bond: { deviceSelectors: Array.from({ length: 5 }, () => hard) },
    })),
    links,
  );
  const usedMs = process.cpuUsage(start).user / 1000;
  assert.ok(usedMs < 3000, `${usedMs} ms`);
  assert.deepEqual(many.names, []);
  assert.equal(many.problems[0], `of 5000 machine.network.interfaces only ${maxDevices} are applied`);
  const beyond = `there are more than ${maxSelectors} deviceSelectors`;
  assert.ok(many.problems.includes(`machine.network.interfaces[999]: ${beyond}`));

  const all = { deviceSelector: { physical: false } };
  const copies = expandedEntries([all, all], links);
  assert.equal(copies.names.length, maxDevices);
  assert.deepEqual(copies.problems, [
    `of 2000 links of machine.network.interfaces only ${maxDevices} are applied`,
  ]);
  const bond = { bond: { deviceSelectors: [{ driver: '*' }] } };
  assert.deepEqual(expandedEntries([{ ...all, ...bond }], links), {
    names: [],
    problems: [`machine.network.interfaces[0]: ${beyond}`],
  });
  const long = expandedEntries([{ deviceSelector: { driver: '*'.repeat(1 << 20) } }], selectable);
  assert.deepEqual(long.names, []);
});

test('a VLAN of a device with a long name has a name that the kernel takes', () => {
  const nameOf = (parent: string) =>
    linksOfInterface({ interface: parent, vlans: [{ vlanId: 4094 }] })[1]?.name;
  assert.equal(nameOf('enp12s0f10'), 'enp12s0f10.4094');
  // The first bytes of SHA-256 of the name of the device.
  const hash = createHash('sha256').update('enx12545f8c99cd').digest('hex');
  assert.equal(nameOf('enx12545f8c99cd'), `enx1${hash.slice(0, 6)}.4094`);
  assert.notEqual(nameOf('enx12545f8c99ce'), nameOf('enx12545f8c99cd'));
});

test('a bridge filters VLANs when its document says so', () => {
  const value = { name: 'br0', vlan: { filtering: true } };
  const [bridge] = linkSpecsOf(new ConfigReader([{ kind: 'BridgeConfig', value }]));
  assert.equal(bridge?.bridgeMaster.vlan.filteringEnabled, true);
});

test('DHCP leaves out what ignoreHostname and ignoreRoutes name', () => {
  const value = { name: 'eth0', ignoreHostname: true, ignoreRoutes: true };
  const [operator] = operatorSpecsOf(new ConfigReader([{ kind: 'DHCPv4Config', value }]));
  assert.deepEqual([operator?.dhcp4.skipHostnameRequest, operator?.dhcp4.skipRoutes], [true, true]);
});
