import { bondSettings as bond } from './bond.ts';
import { kubeSpanSettings, vipNote, wireguardSettings } from './network-parts.ts';
import {
  inside,
  notRead,
  onlyOwnLinks,
  onlyOwnNames,
  onlyOwnNetworks,
  partly,
  type ReferenceDocs,
} from './reference-docs.ts';

const pattern = (what: string, example: string) => ({
  help: `${what}; * stands for any text, ? for one character.`,
  example,
});

const deviceSelector: ReferenceDocs = {
  busPath: pattern('Path of the link on the bus', '0000:01:*'),
  hardwareAddr: pattern('Hardware address (MAC) of the link', '2e:3c:4d:*'),
  permanentAddr: pattern('Hardware address (MAC) that is stored in the link', '2e:3c:4d:*'),
  pciID: pattern('Vendor and device of the link on the PCI bus', '8086:15*'),
  driver: pattern('Driver of the link', 'virtio_net'),
  physical: { help: 'Whether only physical links match, or only others.', default: 'both match' },
};

const routes: ReferenceDocs = {
  '': { help: 'Routes over the link; each needs a network or a gateway.' },
  network: {
    help: 'Network that the route leads to; empty for the default route.',
    example: '198.51.100.0/24',
  },
  gateway: {
    help: 'Address of the router; without it the network is on the link itself.',
    example: '192.0.2.1',
  },
  source: {
    help: 'Source address of packets that take the route, unless their program chooses one.',
    example: '192.0.2.10',
  },
  metric: {
    help: 'Priority of the route: of several routes to a network the one with the lowest metric is used.',
    example: 512,
    default: '1024',
  },
  mtu: { help: 'Size of the largest packet on the route (MTU), in bytes.', example: 1400 },
};

const vip: ReferenceDocs = {
  '': {
    help: 'An address that control planes share: the one that etcd elects has it. Replaced by Layer2VIPConfig.',
    notApplied: vipNote,
  },
  ip: { help: 'The address.', example: '192.0.2.100', isRequired: true },
  equinixMetal: { help: 'Moves the address by the API of Equinix Metal.', notApplied: notRead },
  'equinixMetal.apiToken': { help: 'Token for the API; it is a secret.', example: 'example-token' },
  hcloud: {
    help: 'Moves the address by the API of Hetzner Cloud; replaced by HCloudVIPConfig.',
    notApplied: notRead,
  },
  'hcloud.apiToken': { help: 'Token for the API; it is a secret.', example: 'example-token' },
};

const dhcpOptions: ReferenceDocs = {
  '': { help: 'Settings of DHCP.', notApplied: onlyOwnNetworks },
  routeMetric: { help: 'Metric of the routes from the DHCP server.', example: 2048, default: '1024' },
  ipv4: { help: 'Whether DHCP is used for IPv4.', default: 'true' },
  ipv6: { help: 'Whether DHCP is used for IPv6.', default: 'false' },
  duidv6: {
    help: 'DUID by which the client identifies itself over IPv6, in hexadecimal digits.',
    example: '000300012e3c4d5e6f70',
  },
};

const addresses: ReferenceDocs = {
  addresses: {
    help: 'Addresses of the link with the prefix length of their network; an address alone gets /32 or /128.',
    example: ['192.0.2.10/24'],
  },
  cidr: { help: 'The only address, in an old form; a warning asks for addresses.', example: '192.0.2.10/24' },
};

const bondOptions: ReferenceDocs = {
  '': { help: 'Makes the link a bond of other links; replaced by BondConfig.' },
  interfaces: {
    help: 'Names of the links of the bond; excludes deviceSelectors.',
    example: ['eth0', 'eth1'],
  },
  deviceSelectors: { help: 'Selects the links of the bond; excludes interfaces.' },
  ...inside('deviceSelectors', deviceSelector),
  arpIPTarget: { help: 'Not supported: it is refused.', example: ['192.0.2.1'], notApplied: notRead },
  mode: {
    ...bond.mode,
    help: 'How packets are spread: balance-rr, active-backup, balance-xor, broadcast, 802.3ad, balance-tlb or balance-alb.',
  },
  xmitHashPolicy: {
    ...bond.xmit_hash_policy,
    help: 'Which fields of a packet choose its link: layer2, layer3+4, layer2+3, encap2+3 or encap3+4.',
  },
  lacpRate: bond.lacp_rate,
  adActorSystem: {
    help: 'Not supported: it is refused.',
    example: '2e:3c:4d:5e:6f:70',
    notApplied: notRead,
  },
  arpValidate: {
    ...bond.arp_validate,
    help: 'What the ARP monitor checks: none, active, backup, all, filter, filter-active or filter-backup.',
  },
  arpAllTargets: bond.arp_all_targets,
  primary: bond.primary,
  primaryReselect: {
    ...bond.primary_reselect,
    help: 'When the primary link becomes the active one again: always, when it is better, or after a failure.',
  },
  failOverMac: bond.fail_over_mac,
  adSelect: {
    ...bond.ad_select,
    help: 'What chooses the aggregator in mode 802.3ad: stable, bandwidth or count.',
  },
  miimon: bond.miimon,
  updelay: bond.updelay,
  downdelay: bond.downdelay,
  arpInterval: bond.arp_interval,
  resendIgmp: bond.resend_igmp,
  minLinks: bond.min_links,
  lpInterval: bond.lp_interval,
  packetsPerSlave: bond.packets_per_slave,
  numPeerNotif: bond.num_peer_notif,
  tlbDynamicLb: {
    ...bond.tlb_dynamic_lb,
    help: 'Whether connections move between links by load (1) or not (0); only in modes balance-tlb and balance-alb.',
  },
  allSlavesActive: bond.all_slaves_active,
  useCarrier: bond.use_carrier,
  adActorSysPrio: bond.ad_actor_sys_prio,
  adUserPortKey: bond.ad_user_port_key,
  peerNotifyDelay: bond.peer_notif_delay,
};

const wireguard: ReferenceDocs = {
  '': { help: 'Makes the link a WireGuard tunnel; replaced by WireguardConfig.', notApplied: onlyOwnLinks },
  ...wireguardSettings,
};

/** Source: Talos v1.14: machine configuration, v1alpha1 document, `machine.network`. */
export const legacyNetworkReference: ReferenceDocs = inside('machine.network', {
  hostname: {
    help: 'Name of the node; replaced by HostnameConfig.',
    notApplied: partly(
      'Nodes use the name in certificates, in etcd and in /etc/hosts, but do not set it in the kernel.',
    ),
  },
  interfaces: {
    help: 'Settings of links, merged by name in patches; replaced by the documents of links. No DHCP by default on these links.',
    notApplied: onlyOwnLinks,
  },
  ...inside('interfaces', {
    interface: {
      help: 'Name of the link; exactly one of this and deviceSelector.',
      example: 'eth0',
      notApplied: vipNote,
    },
    deviceSelector: {
      help: 'Selects links by their hardware; all that is set must match. Replaced by LinkAliasConfig.',
      notApplied: vipNote,
    },
    ...inside('deviceSelector', deviceSelector),
    ...addresses,
    ...inside('routes', routes),
    ...inside('bond', bondOptions),
    bridge: { help: 'Makes the link a bridge; replaced by BridgeConfig.' },
    'bridge.interfaces': {
      help: 'Names of the links that are ports of the bridge.',
      example: ['eth0', 'eth1'],
    },
    'bridge.stp': { help: 'Spanning tree protocol (STP).' },
    'bridge.stp.enabled': {
      help: 'Whether the bridge takes part in the spanning tree protocol.',
      default: 'true',
    },
    'bridge.vlan': { help: 'VLANs on the ports of the bridge.' },
    'bridge.vlan.vlanFiltering': {
      help: 'Whether the bridge filters packets by their VLAN.',
      default: 'false',
    },
    bridgePort: { help: 'Makes the link a port of a bridge.' },
    'bridgePort.master': { help: 'Name of the bridge.', example: 'br0' },
    vlans: { help: 'VLANs on the link, named by it and their number (eth0.100); replaced by VLANConfig.' },
    ...inside('vlans', {
      ...addresses,
      ...inside('routes', routes),
      dhcp: {
        help: 'Whether the VLAN gets its address by DHCP.',
        default: 'false',
        notApplied: onlyOwnNetworks,
      },
      vlanId: { help: 'Number of the VLAN.', example: 100, notApplied: vipNote },
      mtu: {
        help: 'Size of the largest packet of the VLAN (MTU), in bytes; 0 is that of the driver.',
        example: 1500,
        default: '0',
      },
      ...inside('vip', vip),
      ...inside('dhcpOptions', dhcpOptions),
    }),
    mtu: {
      help: 'Size of the largest packet of the link (MTU), in bytes; 0 is that of the driver.',
      example: 9000,
      default: '0',
    },
    dhcp: {
      help: 'Whether the link gets its address by DHCP; replaced by DHCPv4Config and DHCPv6Config.',
      default: 'false',
      notApplied: onlyOwnNetworks,
    },
    ignore: {
      help: 'Whether the link is left alone; its other settings are not checked then.',
      default: 'false',
    },
    dummy: {
      help: 'Makes the link a dummy, which drops all packets; replaced by DummyLinkConfig.',
      default: 'false',
    },
    ...inside('dhcpOptions', dhcpOptions),
    ...inside('wireguard', wireguard),
    ...inside('vip', vip),
  }),
  nameservers: {
    help: 'Addresses of DNS servers; /etc/resolv.conf gets the first three. Replaced by ResolverConfig.',
    default: '1.1.1.1 and 8.8.8.8, or those of the platform',
    notApplied: onlyOwnNames,
  },
  searchDomains: {
    help: 'Search domains for short names; an empty list clears those of other sources. Replaced by ResolverConfig.',
    example: ['example.org'],
    default: 'the domain of the host name',
    notApplied: onlyOwnNames,
  },
  disableSearchDomain: {
    help: 'Whether the domain of the host name is not a search domain; replaced by ResolverConfig.',
    default: 'false',
    notApplied: onlyOwnNames,
  },
  extraHostEntries: {
    help: 'Additional entries of /etc/hosts; replaced by StaticHostConfig.',
    notApplied: onlyOwnNames,
  },
  'extraHostEntries.ip': { help: 'Address of the host.', example: '192.0.2.60' },
  'extraHostEntries.aliases': { help: 'Names of the host.', example: ['storage', 'storage.example.org'] },
  kubespan: {
    help: 'Encrypted network (WireGuard) between the nodes; replaced by KubeSpanConfig.',
    notApplied: notRead,
  },
  ...inside('kubespan', kubeSpanSettings),
});
