// Every kind of link, and what a machine makes of it, as programs of others show it.
import type { KernelWireguard } from '@nodewright/linux/network';
import { stringify } from 'yaml';
import { oldSection, wireguardCases } from './wireguard-cases.ts';

type Fields = Readonly<Record<string, unknown>>;

const document = (kind: string, fields: Fields) => stringify({ apiVersion: 'v1alpha1', kind, ...fields });

/** Some documents, and parts of what the programs show of the links, addresses, routes and rules of these. */
export interface Part {
  readonly documents: readonly string[];
  /** Entries of `machine.network.interfaces`, where links were configured before they had documents. */
  readonly interfaces?: readonly Fields[];
  readonly links?: Readonly<Record<string, Fields>>;
  readonly addresses?: Readonly<Record<string, readonly Fields[]>>;
  readonly routes?: readonly Fields[];
  readonly rules?: readonly Fields[];
  /** By the names of `ethtool`, for each link. */
  readonly features?: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
  /** All that `wg` shows of a link. */
  readonly tunnels?: Readonly<Record<string, KernelWireguard>>;
}

const [firstTunnel] = wireguardCases;

/** How many links there are beside eth0: eth1 to eth8, whose addresses end with their numbers. */
export const moreLinks = 8;

/** Links are eth0, with DHCP, and those of `moreLinks`. A new kind of link is one more entry; its own names and networks keep it apart. */
export const parts: Readonly<Record<string, Part>> = {
  'the link of the machine': {
    documents: [document('DHCPv4Config', { name: 'eth0' })],
    links: { eth0: { operstate: 'UP', mtu: 1500 } },
    addresses: { eth0: [{ local: '10.5.0.2', prefixlen: 24 }] },
    routes: [{ dst: 'default', gateway: '10.5.0.1', dev: 'eth0', metric: 1024 }],
  },
  bridge: {
    documents: [
      document('BridgeConfig', {
        ...{ name: 'br0', links: ['eth1', 'vethb'], mtu: 1400, hardwareAddr: '02:00:00:00:0a:01' },
        ...{ stp: { enabled: true }, vlan: { filtering: true } },
        addresses: [{ address: '10.20.0.1/24' }, { address: 'fd20::1/64' }],
      }),
    ],
    links: {
      br0: {
        ...{ mtu: 1400, address: '02:00:00:00:0a:01' },
        linkinfo: { info_kind: 'bridge', info_data: { stp_state: 1, vlan_filtering: 1 } },
      },
      eth1: { master: 'br0' },
    },
    addresses: {
      br0: [
        { local: '10.20.0.1', prefixlen: 24 },
        { local: 'fd20::1', prefixlen: 64 },
      ],
    },
  },
  veth: {
    documents: [
      document('VethConfig', {
        name: 'vetha',
        addresses: [{ address: '10.20.0.2/24' }],
        peer: { name: 'vethb' },
      }),
    ],
    links: {
      vetha: { link: 'vethb', linkinfo: { info_kind: 'veth' } },
      vethb: { link: 'vetha', master: 'br0' },
    },
    addresses: { vetha: [{ local: '10.20.0.2', prefixlen: 24 }] },
  },
  bond: {
    documents: [
      document('BondConfig', {
        ...{ name: 'bond0', links: ['eth2', 'eth3'], bondMode: 'active-backup', primary: 'eth3' },
        ...{ miimon: 100, updelay: 200, downdelay: 300, primaryReselect: 'better', failOverMac: 'active' },
        ...{ resendIGMP: 3, numPeerNotif: 2, mtu: 1480 },
        addresses: [{ address: '10.21.0.1/24', routePriority: 700 }],
        routes: [
          { destination: '10.99.0.0/16', gateway: '10.21.0.254', metric: 300, mtu: 1300 },
          { destination: '10.98.0.0/16', gateway: '10.21.0.254', source: '10.21.0.1', table: '200' },
        ],
      }),
    ],
    links: {
      bond0: {
        mtu: 1480,
        linkinfo: {
          info_kind: 'bond',
          info_data: {
            ...{ mode: 'active-backup', miimon: 100, updelay: 200, downdelay: 300, primary: 'eth3' },
            ...{ primary_reselect: 'better', fail_over_mac: 'active', resend_igmp: 3, num_peer_notif: 2 },
          },
        },
      },
      eth2: { master: 'bond0', mtu: 1480 },
      eth3: { master: 'bond0', mtu: 1480 },
    },
    addresses: { bond0: [{ local: '10.21.0.1', prefixlen: 24, metric: 700 }] },
    routes: [
      {
        ...{ dst: '10.99.0.0/16', gateway: '10.21.0.254', dev: 'bond0', metric: 300, protocol: 'static' },
        metrics: [{ mtu: 1300 }],
      },
      { dst: '10.98.0.0/16', gateway: '10.21.0.254', prefsrc: '10.21.0.1', table: '200', metric: 1024 },
      { dst: '10.21.0.0/24', dev: 'bond0', metric: 700 },
    ],
  },
  'VLAN on a bond': {
    documents: [
      document('VLANConfig', {
        ...{ name: 'bond0.100', parent: 'bond0', vlanID: 100 },
        addresses: [{ address: '10.22.0.1/24' }],
      }),
    ],
    links: {
      'bond0.100': {
        ...{ link: 'bond0', mtu: 1480 },
        linkinfo: { info_kind: 'vlan', info_data: { protocol: '802.1Q', id: 100 } },
      },
    },
    addresses: { 'bond0.100': [{ local: '10.22.0.1', prefixlen: 24 }] },
  },
  'VLAN of a provider': {
    documents: [
      document('LinkConfig', { name: 'eth4', mtu: 1450, multicast: false }),
      document('VLANConfig', {
        ...{ name: 'service', parent: 'eth4', vlanID: 200, vlanMode: '802.1ad', mtu: 1300 },
      }),
      document('VLANConfig', { name: 'inner', parent: 'service', vlanID: 7 }),
    ],
    links: {
      eth4: { mtu: 1450 },
      service: {
        ...{ link: 'eth4', mtu: 1300 },
        linkinfo: { info_kind: 'vlan', info_data: { protocol: '802.1ad', id: 200 } },
      },
      inner: { link: 'service', linkinfo: { info_kind: 'vlan', info_data: { protocol: '802.1Q', id: 7 } } },
    },
  },
  'VRF and dummy': {
    documents: [
      document('VRFConfig', { name: 'red', table: '101', links: ['dummy1'] }),
      document('DummyLinkConfig', {
        ...{ name: 'dummy1', addresses: [{ address: '10.24.0.1/24' }] },
        routes: [{ destination: '10.25.0.0/16', gateway: '10.24.0.254', table: '101' }],
      }),
      document('DummyLinkConfig', {
        ...{ name: 'dummy0', hardwareAddr: '02:00:00:00:0d:01', multicast: true },
        addresses: [{ address: '10.23.0.1/32' }, { address: 'fd23::1/128' }],
      }),
      document('DummyLinkConfig', { name: 'dummy2', up: false }),
    ],
    links: {
      red: { linkinfo: { info_kind: 'vrf', info_data: { table: 101 } } },
      dummy1: { master: 'red', linkinfo: { info_kind: 'dummy' } },
      dummy0: { address: '02:00:00:00:0d:01', linkinfo: { info_kind: 'dummy' } },
      dummy2: { linkinfo: { info_kind: 'dummy' } },
    },
    addresses: {
      dummy1: [{ local: '10.24.0.1', prefixlen: 24 }],
      dummy0: [
        { local: '10.23.0.1', prefixlen: 32 },
        { local: 'fd23::1', prefixlen: 128 },
      ],
    },
    routes: [{ dst: '10.25.0.0/16', gateway: '10.24.0.254', dev: 'dummy1', table: '101' }],
  },
  'blackhole routes and rules': {
    documents: [
      document('BlackholeRouteConfig', { name: '10.66.0.0/16', metric: 77 }),
      document('BlackholeRouteConfig', { name: 'fd66::/32' }),
      document('RoutingRuleConfig', { name: '1100', src: '10.21.0.0/24', table: '200' }),
      document('RoutingRuleConfig', { name: '1101', fwMark: 0x40, fwMask: 0xf0, table: '200' }),
      document('RoutingRuleConfig', {
        name: '1102',
        dst: 'fd99::/64',
        action: 'prohibit',
        iifName: 'br0',
        table: '200',
      }),
    ],
    routes: [
      { type: 'blackhole', dst: '10.66.0.0/16', metric: 77, protocol: 'static' },
      { type: 'blackhole', dst: 'fd66::/32', metric: 1024 },
    ],
    rules: [
      { priority: 1100, src: '10.21.0.0', srclen: 24, table: '200' },
      { priority: 1101, fwmark: '0x40', fwmask: '0xf0', table: '200' },
      { priority: 1102, dst: 'fd99::', dstlen: 64, iif: 'br0', action: 'prohibit' },
    ],
  },
  'aliases and features': {
    documents: [
      document('LinkAliasConfig', {
        name: 'uplink',
        selector: { match: "mac(link.permanent_addr) == '52:54:00:00:01:05'" },
      }),
      document('LinkAliasConfig', {
        name: 'spare%d',
        selector: {
          match: ['06', '07'].map((end) => `glob('*:01:${end}', mac(link.permanent_addr))`).join(' || '),
        },
      }),
      document('LinkConfig', {
        ...{ name: 'uplink', mtu: 1420, addresses: [{ address: '10.26.0.1/24' }] },
        routes: [{ destination: '10.97.0.0/16', gateway: '10.26.0.254' }],
      }),
      document('LinkConfig', { name: 'spare0' }),
      document('VLANConfig', { name: 'tagged', parent: 'spare1', vlanID: 26 }),
      document('LinkConfig', { name: 'spare1' }),
      document('EthernetConfig', {
        name: 'spare0',
        features: { 'rx-gro': false, 'tx-generic-segmentation': false, 'tx-nocache-copy': true },
      }),
      document('EthernetConfig', { name: 'eth7', features: { 'rx-gro': false } }),
    ],
    links: {
      eth5: { ifalias: 'uplink', mtu: 1420 },
      eth6: { ifalias: 'spare0' },
      eth7: { ifalias: 'spare1' },
      tagged: { link: 'eth7', linkinfo: { info_kind: 'vlan', info_data: { protocol: '802.1Q', id: 26 } } },
    },
    addresses: { eth5: [{ local: '10.26.0.1', prefixlen: 24 }] },
    routes: [{ dst: '10.97.0.0/16', gateway: '10.26.0.254', dev: 'eth5', metric: 1024 }],
    features: {
      eth6: {
        ...{ 'generic-receive-offload': false, 'generic-segmentation-offload': false },
        'tx-nocache-copy': true,
      },
      eth7: { 'generic-receive-offload': false, 'generic-segmentation-offload': true },
    },
  },
  'a selector of the old section': {
    documents: [],
    interfaces: [
      {
        ...{ deviceSelector: { hardwareAddr: '52:54:00:00:01:*8' }, mtu: 1410 },
        addresses: ['10.29.0.1/24'],
      },
    ],
    links: { eth8: { mtu: 1410 } },
    addresses: { eth8: [{ local: '10.29.0.1', prefixlen: 24 }] },
  },
  WireGuard: {
    documents: [stringify({ apiVersion: 'v1alpha1', ...firstTunnel.document })],
    interfaces: [oldSection.entry],
    links: {
      wg0: { mtu: 1380, linkinfo: { info_kind: 'wireguard' } },
      wg1: { mtu: 1380, linkinfo: { info_kind: 'wireguard' } },
    },
    addresses: {
      wg0: [
        { local: '10.27.0.1', prefixlen: 24 },
        { local: 'fd27::1', prefixlen: 64 },
      ],
      wg1: [
        { local: '10.28.0.1', prefixlen: 24 },
        { local: 'fd28::1', prefixlen: 64 },
      ],
    },
    tunnels: { wg0: firstTunnel.device, wg1: oldSection.device },
  },
};
