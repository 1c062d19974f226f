// What `ip -d -j`, `ethtool` and `wg` show of a machine, which judges what machined has done.
import type { KernelLink, KernelWireguard } from '@nodewright/linux/network';
import type { SeenLink } from '../../../services/machined/src/network/testing/link-sequences.ts';
import { devicesOfDump } from '../../../services/machined/src/network/testing/wg-dump.ts';
import type { LinkTools } from './link-tools.ts';

/** A link as `ip` shows it. */
export interface ShownLink {
  readonly ifindex: number;
  readonly ifname: string;
  readonly flags: readonly string[];
  readonly mtu: number;
  readonly address: string;
  readonly ifalias?: string;
  readonly master?: string;
  readonly link?: string;
  readonly linkinfo?: {
    readonly info_kind?: string;
    readonly info_data?: Readonly<Record<string, unknown>>;
  };
}

export interface ShownAddress {
  readonly ifname: string;
  readonly addr_info: readonly { readonly local: string; readonly prefixlen: number }[];
}

export interface ShownRoute {
  readonly dst: string;
  readonly protocol: string;
}

export interface ShownRule {
  readonly priority: number;
}

export interface ShownNetwork {
  readonly links: readonly ShownLink[];
  readonly addresses: readonly ShownAddress[];
  readonly routes: readonly ShownRoute[];
  readonly rules: readonly ShownRule[];
  /** Whether each feature is on, by the name of the link and that of the feature. */
  readonly features: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
  readonly tunnels: Tunnels;
}

/** By the name of the link. */
type Tunnels = ReadonlyMap<string, KernelWireguard>;

export const shownTunnels = async (tools: LinkTools): Promise<Tunnels> =>
  devicesOfDump(await tools.run('wg', ['show', 'all', 'dump']));

async function shownFeatures(tools: LinkTools, link: string): Promise<Readonly<Record<string, boolean>>> {
  const [{ ifname: _, ...features } = {}] = JSON.parse(
    await tools.run('ethtool', ['--json', '-k', link]),
  ) as Record<string, { readonly active: boolean }>[];
  return Object.fromEntries(Object.entries(features).map(([name, { active }]) => [name, active]));
}

/** @param withFeatures the links whose features are asked for */
export async function shownNetwork(tools: LinkTools, withFeatures: readonly string[]): Promise<ShownNetwork> {
  const features: [string, Readonly<Record<string, boolean>>][] = [];
  for (const link of withFeatures) features.push([link, await shownFeatures(tools, link)]);
  return {
    ...{ features: Object.fromEntries(features), tunnels: await shownTunnels(tools) },
    links: await tools.shows('link show'),
    addresses: await tools.shows('address show'),
    routes: [
      ...(await tools.shows<ShownRoute[]>('-4 route show table all')),
      ...(await tools.shows<ShownRoute[]>('-6 route show table all')),
    ],
    rules: [
      ...(await tools.shows<ShownRule[]>('-4 rule show')),
      ...(await tools.shows<ShownRule[]>('-6 rule show')),
    ],
  };
}

/** `ip` has names for what the kernel numbers. The numbers are those of <linux/if_bonding.h>. */
const bondModes = [
  ...['balance-rr', 'active-backup', 'balance-xor', 'broadcast', '802.3ad', 'balance-tlb', 'balance-alb'],
];
const lacpRates = ['slow', 'fast'];

/** The links in the words of the property tests of the planner. */
export function seenLinks(shown: readonly ShownLink[], tunnels: Tunnels = new Map()): SeenLink[] {
  const indexOf = (name?: string) => shown.find(({ ifname }) => ifname === name)?.ifindex ?? 0;
  return shown.map(({ ifindex, ifname, flags, mtu, address, master, link, linkinfo }) => ({
    ...{ index: ifindex, name: ifname, kind: linkinfo?.info_kind ?? '', mtu, hardwareAddress: address },
    flags: (flags.includes('UP') ? 1 : 0) | (flags.includes('MULTICAST') ? 0x1000 : 0),
    ...{ masterIndex: indexOf(master), linkIndex: indexOf(link) },
    details: detailsOf(linkinfo?.info_kind, linkinfo?.info_data ?? {}),
    wireguard: tunnels.get(ifname),
  }));
}

function detailsOf(kind: string | undefined, data: Readonly<Record<string, unknown>>): KernelLink['details'] {
  if (kind === 'bridge')
    return { bridge: { spanningTree: data.stp_state === 1, vlanFiltering: data.vlan_filtering === 1 } };
  if (kind === 'vrf') return { vrfTable: Number(data.table) };
  if (kind === 'vlan')
    return {
      vlan: { id: Number(data.id), protocol: /ad$/i.test(String(data.protocol)) ? 0x88a8 : 0x8100 },
    };
  if (kind !== 'bond') return {};
  return {
    bond: {
      ...{ mode: bondModes.indexOf(String(data.mode)), miimon: Number(data.miimon) },
      ...(data.ad_lacp_rate !== undefined && { lacpRate: lacpRates.indexOf(String(data.ad_lacp_rate)) }),
      arpIpTargets: (data.arp_ip_target ?? []) as string[],
    },
  };
}
