import { bondSettings as bond } from './bond.ts';
import { hardwareAddress, linkSettings } from './link-settings.ts';
import { wireguardSettings } from './network-parts.ts';
import { inside, type KindReferences, notRead, onlyOwnLinks } from './reference-docs.ts';

const linkName = (example: string) => ({ help: 'Name of the link.', example, isRequired: true });
const links = (help: string) => ({ help, example: ['eth0', 'eth1'] });
const ringSize = (ring: string, example: number) => ({
  help: `Number of entries of the ${ring} ring.`,
  example,
});

/** Source: Talos v1.14: machine configuration, network. */
export const linkReferences: KindReferences = {
  LinkConfig: {
    ...linkSettings,
    '': { help: 'Addresses, routes and settings of a link that exists.', notApplied: onlyOwnLinks },
    name: linkName('eth0'),
  },
  BondConfig: {
    ...linkSettings,
    '': { help: 'A bond: several links that act as one.', notApplied: onlyOwnLinks },
    name: linkName('bond0'),
    hardwareAddr: hardwareAddress,
    links: { ...links('Names of the links of the bond, at least one.'), isRequired: true },
    bondMode: { ...bond.mode, isRequired: true },
    miimon: bond.miimon,
    updelay: bond.updelay,
    downdelay: bond.downdelay,
    useCarrier: bond.use_carrier,
    xmitHashPolicy: bond.xmit_hash_policy,
    arpInterval: bond.arp_interval,
    arpIpTargets: { help: 'IPv4 addresses that ARP probes are sent to.', example: ['192.0.2.1'] },
    nsIp6Targets: {
      help: 'IPv6 addresses that neighbour solicitations are sent to.',
      example: ['2001:db8::1'],
    },
    arpValidate: bond.arp_validate,
    arpAllTargets: bond.arp_all_targets,
    lacpRate: bond.lacp_rate,
    failOverMac: bond.fail_over_mac,
    adSelect: bond.ad_select,
    adActorSysPrio: bond.ad_actor_sys_prio,
    adUserPortKey: bond.ad_user_port_key,
    adLACPActive: {
      help: 'Whether the bond sends LACPDUs by itself (on), or only answers (off), in mode 802.3ad.',
      example: 'on',
    },
    primary: bond.primary,
    primaryReselect: bond.primary_reselect,
    resendIGMP: bond.resend_igmp,
    minLinks: bond.min_links,
    lpInterval: bond.lp_interval,
    packetsPerSlave: bond.packets_per_slave,
    numPeerNotif: bond.num_peer_notif,
    tlbLogicalLb: bond.tlb_dynamic_lb,
    allSlavesActive: bond.all_slaves_active,
    peerNotifDelay: bond.peer_notif_delay,
    missedMax: {
      help: 'Number of ARP probes without an answer after which a link counts as down; not in modes 802.3ad, balance-tlb, balance-alb.',
      example: 3,
      default: '2',
    },
  },
  BridgeConfig: {
    ...linkSettings,
    '': { help: 'A bridge: a switch between links of the node.', notApplied: onlyOwnLinks },
    name: linkName('br0'),
    hardwareAddr: hardwareAddress,
    links: links('Names of the links that are ports of the bridge.'),
    stp: { help: 'Spanning tree protocol (STP).' },
    'stp.enabled': { help: 'Whether the bridge takes part in the spanning tree protocol.' },
    vlan: { help: 'VLANs on the ports of the bridge.' },
    'vlan.filtering': { help: 'Whether the bridge filters packets by their VLAN.' },
  },
  DummyLinkConfig: {
    ...linkSettings,
    '': { help: 'A dummy link, which drops all packets and can hold addresses.', notApplied: onlyOwnLinks },
    name: linkName('dummy0'),
    hardwareAddr: hardwareAddress,
  },
  VethConfig: {
    ...linkSettings,
    ...inside('peer', linkSettings),
    '': { help: 'A pair of links: what enters one of them leaves the other.', notApplied: onlyOwnLinks },
    name: {
      help: 'Name of the first link: 1 to 15 bytes, without /, :, % and blanks.',
      example: 'veth0',
      isRequired: true,
    },
    peer: { help: 'The second link, with settings of its own.', isRequired: true },
    'peer.name': {
      help: 'Name of the second link, in the same form.',
      example: 'veth1',
      isRequired: true,
    },
  },
  VLANConfig: {
    ...linkSettings,
    '': { help: 'A VLAN on another link.', notApplied: onlyOwnLinks },
    name: linkName('eth0.100'),
    vlanID: { help: 'Number of the VLAN, 1 to 4094.', example: 100, isRequired: true },
    vlanMode: { help: 'Protocol of the tag.', example: '802.1q', default: '802.1q' },
    parent: { help: 'Name of the link that carries the VLAN.', example: 'eth0', isRequired: true },
  },
  VRFConfig: {
    ...linkSettings,
    '': { help: 'A VRF: links with a routing table of their own.', notApplied: onlyOwnLinks },
    name: linkName('vrf-blue'),
    hardwareAddr: hardwareAddress,
    links: links('Names of the links that belong to the VRF.'),
    table: { help: 'Routing table of the VRF, 1 to 252.', example: '100', isRequired: true },
  },
  WireguardConfig: {
    ...linkSettings,
    ...wireguardSettings,
    '': { help: 'A WireGuard tunnel.', notApplied: onlyOwnLinks },
    name: linkName('wg0'),
    'peers.presharedKey': {
      help: 'Additional key that both sides share, base64 of 32 bytes; it is a secret.',
      example: 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVpbXF1eX2A=',
    },
  },
  LinkAliasConfig: {
    '': {
      help: 'Another name for physical links, by which other documents mean them.',
      notApplied: onlyOwnLinks,
    },
    name: {
      help: 'The name. A name that ends with %d numbers all links that match, from 0; another one must match a single link.',
      example: 'net%d',
      isRequired: true,
    },
    selector: { help: 'Selects the links.', isRequired: true },
    'selector.match': {
      help: 'CEL expression that is true for a link to name; its variable is link, its functions glob and mac.',
      example: "mac(link.permanent_addr).startsWith('00:1a:2b:')",
      isRequired: true,
    },
  },
  EthernetConfig: {
    '': { help: 'Settings of the hardware of a link, as those of ethtool.', notApplied: onlyOwnLinks },
    name: linkName('eth0'),
    features: {
      help: "Features of the link, by the kernel's names, with whether each is on.",
      example: { 'tx-tcp-segmentation': false },
    },
    rings: { help: 'Rings of packets between the link and its driver.', notApplied: notRead },
    'rings.rx': ringSize('receive', 512),
    'rings.tx': ringSize('transmit', 512),
    'rings.rx-mini': ringSize('receive mini', 256),
    'rings.rx-jumbo': ringSize('receive jumbo', 256),
    'rings.rx-buf-len': { help: 'Size of the receive buffers in bytes.', example: 2048 },
    'rings.cqe-size': { help: 'Size of the events in the completion queue in bytes.', example: 64 },
    'rings.tx-push': { help: 'Whether descriptors of packets to send are pushed to the link.' },
    'rings.rx-push': { help: 'Whether descriptors of received packets are pushed to the link.' },
    'rings.tx-push-buf-len': { help: 'Size of the buffer for pushed packets in bytes.', example: 128 },
    'rings.tcp-data-split': {
      help: 'Whether headers and data of TCP packets are received in separate buffers.',
    },
    channels: { help: 'Numbers of channels (queues with an interrupt) of the link.', notApplied: notRead },
    'channels.rx': { help: 'Number of channels that only receive.', example: 4 },
    'channels.tx': { help: 'Number of channels that only send.', example: 4 },
    'channels.other': { help: 'Number of channels for other purposes.', example: 1 },
    'channels.combined': { help: 'Number of channels that receive and send.', example: 4 },
    wakeOnLan: {
      help: 'What wakes the machine: phy, unicast, multicast, broadcast, magic, magicsecure and filter.',
      example: ['magic'],
      notApplied: notRead,
    },
  },
};
