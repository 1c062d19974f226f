import type { EtcdConfigSpec } from '@nodewright/state/kinds';
import { addressOf, parsePrefix } from '../../base/domain/prefix.ts';
import { filterAddresses } from '../../network/domain/node-addresses.ts';

/** `https://10.0.0.1:2380`. */
export function etcdUrl(address: string, port: number): string {
  return `https://${hostPort(address, port)}`;
}

/** `10.0.0.1:2379` or `[fd00::1]:2379`. */
export function hostPort(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Separates the networks to select from those to exclude, which begin with `!`. */
export function splitSubnets(subnets: readonly string[]): { valid: string[]; excluded: string[] } {
  return {
    valid: subnets.filter((subnet) => !subnet.startsWith('!')),
    excluded: subnets.filter((subnet) => subnet.startsWith('!')).map((subnet) => subnet.slice(1)),
  };
}

/** The addresses of the node with prefix lengths, without those of pods and services. */
export interface EtcdAddressFacts {
  readonly current: readonly string[];
  /** Without the addresses that are not routed to this machine. */
  readonly routed: readonly string[];
}

/**
 * The addresses at which other members and clients reach this node's etcd; empty when none matches.
 * Source: Talos v1.14: etcd addresses.
 */
export function advertisedAddresses(
  { advertiseValidSubnets, advertiseExcludeSubnets }: EtcdConfigSpec,
  { current, routed }: EtcdAddressFacts,
): string[] {
  const hasSubnets = advertiseValidSubnets.length > 0;
  const allowed = filterAddresses(hasSubnets ? current : routed, {
    includeSubnets: advertiseValidSubnets,
    excludeSubnets: advertiseExcludeSubnets,
  });
  const addresses = unique(allowed.map(addressOf)).filter((address) => !isSideroLink(address));
  return hasSubnets ? addresses : addresses.slice(0, 1);
}

export interface ListenAddresses {
  readonly peer: readonly string[];
  readonly client: readonly string[];
}

/**
 * The addresses on which this node's etcd listens; empty when none matches.
 *
 * @param own the node's addresses when other nodes share the host: etcd then listens on these only, never on
 * the wildcard
 *
 * Source: Talos v1.14: etcd addresses.
 */
export function listenAddresses(
  { listenValidSubnets, listenExcludeSubnets }: EtcdConfigSpec,
  { current }: EtcdAddressFacts,
  own: readonly string[] | undefined,
): ListenAddresses {
  if (own !== undefined) return { peer: own, client: own };
  const isAnywhere = listenValidSubnets.length + listenExcludeSubnets.length === 0;
  if (isAnywhere) {
    if (current.length === 0) return { peer: [], client: [] };
    const all = hasIPv4(current) ? ['0.0.0.0'] : ['::'];
    return { peer: all, client: all };
  }
  const peer = unique(
    filterAddresses(current, {
      includeSubnets: listenValidSubnets,
      excludeSubnets: listenExcludeSubnets,
    }).map(addressOf),
  );
  if (peer.length === 0) return { peer, client: [] };
  // The node's own client connects to the loopback address.
  return { peer, client: unique([...peer, hasIPv4(peer) ? '127.0.0.1' : '::1']) };
}

/** The address that the node's own client connects to. */
export function localClientAddress(listenClient: readonly string[]): string {
  const [first = '127.0.0.1'] = listenClient;
  if (first === '0.0.0.0') return '127.0.0.1';
  if (first === '::') return '::1';
  return listenClient.find((address) => address === '127.0.0.1' || address === '::1') ?? first;
}

/**
 * Whether the address belongs to the SideroLink tunnel of a management service. Source: Talos v1.14:
 * SideroLink addresses.
 */
function isSideroLink(address: string): boolean {
  const prefix = parsePrefix(address);
  if (prefix?.family !== 6) return false;
  const octet = (index: number) => Number((prefix.bits >> BigInt(8 * (15 - index))) & 0xffn);
  return octet(0) === 0xfd && octet(7) === 0x03;
}

const hasIPv4 = (addresses: readonly string[]) => addresses.some((address) => !address.includes(':'));
const unique = (texts: readonly string[]) => [...new Set(texts)];
