// Source: Talos v1.14: COSI resources, enumerations.
import { enumeration, flags, openEnumeration } from '../../spec/field-types.ts';

export const family = openEnumeration('Family', { inet4: 2, inet6: 10 });
export const scope = openEnumeration('Scope', { global: 0, site: 200, link: 253, host: 254, nowhere: 255 });
export const addressFlags = flags('AddressFlags', {
  temporary: 1,
  nodad: 2,
  optimistic: 4,
  dadfailed: 8,
  homeaddress: 16,
  deprecated: 32,
  tentative: 64,
  permanent: 128,
  mngmtmpaddr: 256,
  noprefixroute: 512,
  mcautojoin: 1024,
  stableprivacy: 2048,
});
export const linkFlags = flags('LinkFlags', {
  UP: 1,
  BROADCAST: 2,
  DEBUG: 4,
  LOOPBACK: 8,
  POINTTOPOINT: 16,
  NOTRAILERS: 32,
  RUNNING: 64,
  NOARP: 128,
  PROMISC: 256,
  ALLMULTI: 512,
  MASTER: 1024,
  SLAVE: 2048,
  MULTICAST: 4096,
  PORTSEL: 8192,
  AUTOMEDIA: 16384,
  DYNAMIC: 32768,
  LOWER_UP: 65536,
  DORMANT: 131072,
  ECHO: 262144,
});
export const routeFlags = flags('RouteFlags', {
  notify: 256,
  cloned: 512,
  equalize: 1024,
  prefix: 2048,
  lookup_table: 4096,
  fib_match: 8192,
  offload: 16384,
  trap: 32768,
});
export const linkType = openEnumeration('LinkType', {
  netrom: 0,
  ether: 1,
  eether: 2,
  ax25: 3,
  pronet: 4,
  chaos: 5,
  ieee802: 6,
  arcnet: 7,
  atalk: 8,
  dlci: 15,
  atm: 19,
  metricom: 23,
  ieee1394: 24,
  eui64: 27,
  infiniband: 32,
  slip: 256,
  cslip: 257,
  slip6: 258,
  cslip6: 259,
  rsrvd: 260,
  adapt: 264,
  rose: 270,
  x25: 271,
  hwx25: 272,
  can: 280,
  ppp: 512,
  hdlc: 513,
  lapb: 516,
  ddcmp: 517,
  rawhdlc: 518,
  ipip: 768,
  tunnel6: 769,
  frad: 770,
  skip: 771,
  loopback: 772,
  localtlk: 773,
  fddi: 774,
  bif: 775,
  sit: 776,
  'ip/ddp': 777,
  gre: 778,
  pimreg: 779,
  hippi: 780,
  ash: 781,
  econet: 782,
  irda: 783,
  fcpp: 784,
  fcal: 785,
  fcpl: 786,
  fcfabric: 787,
  ieee802_tr: 800,
  ieee80211: 801,
  ieee80211_prism: 802,
  ieee80211_radiotap: 803,
  ieee802154: 804,
  ieee802154_monitor: 805,
  phonet: 820,
  phonet_pipe: 821,
  caif: 822,
  ip6gre: 823,
  netlink: 824,
  '6lowpan': 825,
  nohdr: 65534,
  void: 65535,
});
export const operationalState = openEnumeration('OperationalState', {
  unknown: 0,
  notPresent: 1,
  down: 2,
  lowerLayerDown: 3,
  testing: 4,
  dormant: 5,
  up: 6,
});
export const port = openEnumeration('Port', {
  TwistedPair: 0,
  AUI: 1,
  MII: 2,
  '': 3,
  BNC: 4,
  DirectAttach: 5,
  None: 239,
  Other: 255,
});
export const duplex = openEnumeration('Duplex', { Half: 0, Full: 1, Unknown: 255 });
export const routingTable = openEnumeration('RoutingTable', {
  unspec: 0,
  default: 253,
  main: 254,
  local: 255,
});
export const routeType = openEnumeration('RouteType', {
  unspec: 0,
  unicast: 1,
  local: 2,
  broadcast: 3,
  anycast: 4,
  multicast: 5,
  blackhole: 6,
  unreachable: 7,
  prohibit: 8,
  throw: 9,
  nat: 10,
  xresolve: 11,
});
export const routeProtocol = openEnumeration('RouteProtocol', {
  unspec: 0,
  redirect: 1,
  kernel: 2,
  boot: 3,
  static: 4,
  ra: 9,
  mrt: 10,
  zebra: 11,
  bird: 12,
  dnrouted: 13,
  xorp: 14,
  ntk: 15,
  dhcp: 16,
  mrtd: 17,
  keepalived: 18,
  babel: 42,
  openr: 99,
  bgp: 186,
  isis: 187,
  ospf: 188,
  rip: 189,
  eigrp: 192,
});
export const routingRuleAction = openEnumeration('RoutingRuleAction', {
  unspec: 0,
  unicast: 1,
  blackhole: 6,
  unreachable: 7,
  prohibit: 8,
});
export const configLayer = enumeration('ConfigLayer', {
  default: 0,
  cmdline: 1,
  platform: 2,
  operator: 3,
  configuration: 4,
});
export const operator = enumeration('Operator', { dhcp4: 0, dhcp6: 1, vip: 2 });
export const addressSortAlgorithm = enumeration('AddressSortAlgorithm', { v1: 0, v2: 1 });
export const dnsProtocol = enumeration('DNSProtocol', { Do53: 0, DoT: 1, DoH: 2 });
export const clientIdentifier = enumeration('ClientIdentifier', { none: 0, mac: 1, duid: 2 });
export const bondMode = enumeration('BondMode', {
  'balance-rr': 0,
  'active-backup': 1,
  'balance-xor': 2,
  broadcast: 3,
  '802.3ad': 4,
  'balance-tlb': 5,
  'balance-alb': 6,
});
export const bondXmitHashPolicy = enumeration('BondXmitHashPolicy', {
  layer2: 0,
  'layer3+4': 1,
  'layer2+3': 2,
  'encap2+3': 3,
  'encap3+4': 4,
});
export const lacpRate = enumeration('LACPRate', { slow: 0, fast: 1 });
export const adSelect = enumeration('ADSelect', { stable: 0, bandwidth: 1, count: 2 });
export const adLacpActive = enumeration('ADLACPActive', { off: 0, on: 1 });
export const arpValidate = enumeration('ARPValidate', {
  none: 0,
  active: 1,
  backup: 2,
  all: 3,
  filter: 4,
  'filter-active': 5,
  'filter-backup': 6,
});
export const arpAllTargets = enumeration('ARPAllTargets', { any: 0, all: 1 });
export const primaryReselect = enumeration('PrimaryReselect', { always: 0, better: 1, failure: 2 });
export const failOverMac = enumeration('FailOverMAC', { none: 0, active: 1, follow: 2 });
export const vlanProtocol = enumeration('VLANProtocol', { '802.1q': 33024, '802.1ad': 34984 });
export const wolMode = enumeration('WOLMode', {
  phy: 1,
  unicast: 2,
  multicast: 4,
  broadcast: 8,
  magic: 32,
  magicsecure: 64,
  filter: 128,
});
export const nftablesChainHook = enumeration('NfTablesChainHook', {
  prerouting: 0,
  input: 1,
  forward: 2,
  output: 3,
  postrouting: 4,
});
export const matchOperator = enumeration('MatchOperator', { '==': 0, '!=': 1 });
export const nftablesChainPriority = enumeration('NfTablesChainPriority', {
  first: -2147483648,
  'conntrack-defrag': -400,
  raw: -300,
  'selinux-first': -225,
  conntrack: -200,
  mangle: -150,
  'nat-dest': -100,
  filter: 0,
  security: 50,
  'nat-source': 100,
  'selinux-last': 225,
  'conntrack-helper': 300,
  last: 2147483647,
});
export const conntrackState = enumeration('ConntrackState', {
  invalid: 1,
  established: 2,
  related: 4,
  new: 8,
});
export const protocol = enumeration('Protocol', { icmp: 1, tcp: 6, udp: 17, icmpv6: 58 });
export const bgpSessionState = enumeration('BGPSessionState', {
  UNKNOWN: 0,
  IDLE: 1,
  CONNECT: 2,
  ACTIVE: 3,
  OPEN_SENT: 4,
  OPEN_CONFIRM: 5,
  ESTABLISHED: 6,
});
export const nftablesVerdict = enumeration('NfTablesVerdict', { drop: 0, accept: 1 });
export const icmpType = enumeration('ICMPType', {
  'timestamp-request': 13,
  'timestamp-reply': 14,
  'address-mask-request': 17,
  'address-mask-reply': 18,
});
