import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AddressSpecSpec, LinkSpecSpec } from '@nodewright/state/kinds';
import { decodeConfiguration } from '../../base/domain/machine-configuration.ts';
import { linkAddress } from './address-documents.ts';
import { plainLink } from './link-documents.ts';
import { lostAddresses } from './lost-addresses.ts';
import type { Layer } from './merge-layers.ts';

const at = (name: string, altNames: string[] = []) =>
  ({
    name,
    spec: { alias: '', altNames, kind: '', type: 'ether', hardwareAddr: '', permanentAddr: '' },
  }) as never;
const links = [at('eth0', ['enp2s0']), at('eth1'), at('eth0.5')];

interface Now {
  readonly addresses: readonly (readonly [id: string, linkName: string, address: string])[];
  readonly vlans?: readonly string[];
  readonly dhcp?: readonly string[];
  /** Of `machine.network` in the next configuration. */
  readonly old?: string;
}

/** What a machine with these specifications, all of them applied, loses with the configuration. */
function lost({ addresses, vlans = [], dhcp = [], old = '' }: Now, ...documents: string[]): string[] {
  const layerOf = (id: string): Layer =>
    id.startsWith('dhcp4') || id.startsWith('vip') ? 'operator' : (id as Layer);
  const specs = addresses.map(([id, linkName, address]): { id: string; spec: AddressSpecSpec } => ({
    ...{ id: `${id}/${linkName}`, spec: linkAddress(linkName, address, layerOf(id)) },
  }));
  const made = vlans.map((name): { id: string; spec: LinkSpecSpec } => ({
    id: `configuration/${name}`,
    spec: { ...plainLink(name, 'configuration'), logical: true, kind: 'vlan', up: true },
  }));
  const text = [`version: v1alpha1\nmachine: { type: worker, network: { ${old} } }\n`, ...documents].join('');
  return lostAddresses(
    {
      ...{ addresses: specs, links: made, dhcpOfCommandLine: dhcp },
      present: {
        links,
        addresses: [
          ...addresses.map(([, linkName, address]) => ({
            linkName: linkName === 'enp2s0' ? 'eth0' : linkName,
            address,
          })),
          { linkName: 'eth1', address: '10.244.0.1/24' },
        ],
      },
    },
    decodeConfiguration(text),
  );
}
const document = (kind: string, ...lines: string[]) =>
  ['---', 'apiVersion: v1alpha1', `kind: ${kind}`, ...lines, ''].join('\n');
const own = (name: string, ...addresses: string[]) =>
  document(
    'LinkConfig',
    `name: ${name}`,
    `addresses: [${addresses.map((of) => `{ address: ${of} }`).join(', ')}]`,
  );

test('an address that no document names any more is lost, by whatever name of its link', () => {
  const now: Now = {
    addresses: [
      ['configuration', 'enp2s0', '10.0.0.2/24'],
      ['configuration', 'eth0', 'fd00::2/64'],
    ],
  };
  assert.deepEqual(lost(now, own('eth0', '10.0.0.2/24', 'FD00:0::2/64')), []);
  assert.deepEqual(lost(now, own('eth0', '10.0.0.3/24', 'fd00::2/64')), ['10.0.0.2']);
  assert.deepEqual(lost(now, own('eth0', '10.0.0.2/16', 'fd00::2/48')), []);
  assert.deepEqual(lost(now), ['10.0.0.2', 'fd00::2']);
  assert.deepEqual(lost(now, own('eth1', '10.0.0.2/24')), ['10.0.0.2', 'fd00::2']);
  const old = 'interfaces: [{ interface: enp2s0, addresses: [10.0.0.2/24, "fd00::2/64"] }]';
  assert.deepEqual(lost({ ...now, old }), []);
  assert.deepEqual(
    lost({ ...now, old: 'interfaces: [{ interface: eth0, ignore: true, cidr: 10.0.0.2/24 }]' }),
    [...['10.0.0.2', 'fd00::2']],
  );
});

test('a lease is lost when its link stops asking, as with the first document about links', () => {
  const now: Now = { addresses: [['dhcp4', 'eth0', '10.0.0.50/24']] };
  assert.deepEqual(lost(now), []);
  assert.deepEqual(lost(now, own('eth1', '10.1.0.2/24')), ['10.0.0.50']);
  assert.deepEqual(lost(now, own('eth1', '10.1.0.2/24'), document('DHCPv4Config', 'name: enp2s0')), []);
  assert.deepEqual(lost({ ...now, dhcp: ['eth0'] }, own('eth1', '10.1.0.2/24')), []);
  for (const length of [24, 16]) assert.deepEqual(lost(now, own('eth0', `10.0.0.50/${length}`)), []);
});

test('an address of the command line or of META stays, unless its link is set down', () => {
  const now: Now = {
    addresses: [
      ['cmdline', 'eth0', '10.0.0.2/24'],
      ['platform', 'eth0', '10.0.0.3/24'],
    ],
  };
  assert.deepEqual(lost(now, own('eth1', '10.1.0.2/24')), []);
  assert.deepEqual(lost(now, document('LinkConfig', 'name: enp2s0', 'up: false')), ['10.0.0.2', '10.0.0.3']);
});

test('with a link that is not made any more its lease is lost; shared and foreign addresses do not count', () => {
  const now: Now = {
    addresses: [
      ['dhcp4', 'eth0.5', '10.5.0.50/24'],
      ['vip', 'eth0', '10.0.0.99/32'],
    ],
    vlans: ['eth0.5'],
  };
  const dhcp = document('DHCPv4Config', 'name: eth0.5');
  assert.deepEqual(lost(now, dhcp, document('VLANConfig', 'name: eth0.5', 'parent: eth0', 'vlanID: 5')), []);
  assert.deepEqual(lost(now, dhcp), ['10.5.0.50']);
});
