import type { FieldReference } from './reference-docs.ts';

type Entry = Omit<FieldReference, 'isRequired' | 'notApplied'>;

/**
 * Settings of a bond in both forms of configuration, by the name of the kernel. Source: Talos v1.14: machine
 * configuration, network enumerations; links, bond defaults. Source: Linux, Documentation/networking/bonding.rst.
 */
export const bondSettings = {
  mode: {
    help: 'How packets are spread over the links.',
    example: '802.3ad',
  },
  xmit_hash_policy: {
    help: 'Which fields of a packet choose its link, in the modes balance-xor, 802.3ad, balance-tlb and balance-alb.',
    example: 'layer3+4',
    default: 'layer2',
  },
  lacp_rate: {
    help: 'How often the partner is asked for LACPDUs in mode 802.3ad: slow is every 30 s, fast every second.',
    example: 'fast',
    default: 'slow',
  },
  arp_validate: {
    help: 'Whose ARP probes and replies are checked by the ARP monitor; not in modes 802.3ad, balance-tlb and balance-alb.',
    example: 'active',
    default: 'none',
  },
  arp_all_targets: {
    help: 'Whether a link counts as up when any, or only when all of the ARP targets answer.',
    example: 'all',
    default: 'any',
  },
  primary: {
    help: 'Link that is used while it is up; only in modes active-backup, balance-tlb and balance-alb.',
    example: 'eth0',
  },
  primary_reselect: {
    help: 'When the primary link becomes the active one again: always, when it is better, or only after a failure.',
    example: 'failure',
    default: 'always',
  },
  fail_over_mac: {
    help: 'Whether all links have one hardware address (none), or the bond takes that of the active link (active, follow).',
    example: 'active',
    default: 'none',
  },
  ad_select: {
    help: 'What chooses the aggregator in mode 802.3ad: stability, bandwidth or the count of its links.',
    example: 'bandwidth',
    default: 'stable',
  },
  miimon: {
    help: 'Time between two checks of the carrier of the links, in milliseconds; 0 checks never.',
    example: 100,
    default: '0',
  },
  updelay: {
    help: 'Delay before a link that has a carrier again is used, in milliseconds; a multiple of miimon.',
    example: 200,
    default: '0',
  },
  downdelay: {
    help: 'Delay before a link that has lost its carrier is given up, in milliseconds; a multiple of miimon.',
    example: 200,
    default: '0',
  },
  arp_interval: {
    help: 'Time between two ARP probes, in milliseconds; 0 sends none. Not in modes 802.3ad, balance-tlb and balance-alb.',
    example: 1000,
    default: '0',
  },
  resend_igmp: {
    help: 'Number of IGMP membership reports after a change of the active link, 0 to 255.',
    example: 3,
    default: '1',
  },
  min_links: {
    help: 'Number of links that must be up before the bond has a carrier in mode 802.3ad.',
    example: 2,
    default: '0',
  },
  lp_interval: {
    help: 'Time between two learning packets to the switches in modes balance-tlb and balance-alb, in seconds.',
    example: 5,
    default: '1',
  },
  packets_per_slave: {
    help: 'Number of packets over a link before the next link is used; above 1 only in mode balance-rr.',
    example: 1,
    default: '1',
  },
  num_peer_notif: {
    help: 'Number of notifications of neighbours after a change of the active link.',
    example: 3,
    default: '1',
  },
  tlb_dynamic_lb: {
    help: 'Whether connections move between links by load (1) or not (0) in mode balance-tlb.',
    example: 1,
  },
  all_slaves_active: {
    help: 'Whether packets that inactive links receive are delivered (1) or dropped (0).',
    example: 0,
    default: '0',
  },
  use_carrier: {
    help: 'Whether the driver tells if links have a carrier; current kernels always use that.',
    default: 'true',
  },
  ad_actor_sys_prio: {
    help: 'Priority of the system in mode 802.3ad, 1 to 65535.',
    example: 65535,
    default: '65535',
  },
  ad_user_port_key: {
    help: 'Upper part of the port key in mode 802.3ad, 0 to 1023.',
    example: 0,
    default: '0',
  },
  peer_notif_delay: {
    help: 'Time between two notifications of neighbours after a change of the active link, in milliseconds.',
    example: 200,
    default: '0',
  },
} as const satisfies Readonly<Record<string, Entry>>;
