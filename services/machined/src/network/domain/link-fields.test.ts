// Each field of a bond reaches the specification, in both forms of the configuration.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigReader, type YamlMap, type YamlValue } from '@nodewright/machine-config';
import type { BondMasterSpec } from '@nodewright/state/kinds';
import { deviceLinks, linksOfEntry, type PresentLink } from './device-configs.ts';
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
      ...hardware,
    },
  }) as PresentLink;

function linksOfInterface(entry: YamlMap, links: readonly PresentLink[] = [wire('eth0', {})]) {
  const value = { version: 'v1alpha1', machine: { network: { interfaces: [entry] } } };
  const reader = new ConfigReader([{ kind: 'v1alpha1', value }]);
  const devices = reader.legacy
    .items('machine', 'network', 'interfaces')
    .flatMap((item) => linksOfEntry(item, links).map((name) => ({ name, entry: item })));
  return deviceLinks(devices, links);
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
