import type { AddressStatusSpec, LinkStatusSpec, NodeAddressFilterSpec } from '@nodewright/state/kinds';
import {
  addressOf,
  comparePrefixes,
  holds,
  isLinkLocal,
  isLoopback,
  isMulticast,
  type Prefix,
  parsePrefix,
} from '../../base/domain/prefix.ts';

export type SortAlgorithm = 'v1' | 'v2';

/** The addresses of a node, before they are published by id. */
export interface AddressCandidates {
  /** Addresses on links that are up. */
  readonly current: readonly string[];
  /** Without those that are not routed to this machine itself. */
  readonly routed: readonly string[];
}

/** The link name of addresses from the platform. Source: Talos v1.14: COSI resources, AddressStatuses. */
export const externalLinkName = 'external';
const siderolinkName = 'siderolink';
/** Address of the host's resolver. Source: Talos v1.14: COSI resources, HostDNSConfigs. */
export const hostDnsAddress = '169.254.116.108';

const upStates: readonly string[] = ['up', 'unknown'];
const reachableScopes: readonly string[] = ['global', 'site'];

/** The kernel's addresses that belong to the node. Source: Talos v1.14: COSI resources, NodeAddresses. */
export function addressCandidates(
  addresses: readonly AddressStatusSpec[],
  links: readonly { readonly name: string; readonly spec: LinkStatusSpec }[],
): AddressCandidates {
  const up = new Set(
    links.filter(({ spec }) => upStates.includes(spec.operationalState)).map(({ name }) => name),
  );
  const current = addresses
    .filter(({ linkName }) => linkName === externalLinkName || up.has(linkName))
    .filter(({ scope }) => reachableScopes.includes(scope))
    .map((spec) => ({ linkName: spec.linkName, text: ownAddressOf(spec) }))
    .filter(({ text }) => isReachable(text));
  const isRouted = (linkName: string) => linkName !== externalLinkName && linkName !== siderolinkName;
  return {
    current: current.map(({ text }) => text),
    routed: current.filter(({ linkName }) => isRouted(linkName)).map(({ text }) => text),
  };
}

/** On a point-to-point link it is the address of the other end. */
function ownAddressOf({ address, local }: AddressStatusSpec): string {
  if (local === '' || local === addressOf(address)) return address;
  return `${local}/${parsePrefix(local)?.length}`;
}

function isReachable(text: string): boolean {
  const prefix = parsePrefix(text);
  if (prefix === undefined) return false;
  return !isLoopback(prefix) && !isMulticast(prefix) && !isLinkLocal(prefix);
}

export interface NodeAddressFacts {
  readonly candidates: AddressCandidates;
  readonly filters: readonly { readonly id: string; readonly spec: NodeAddressFilterSpec }[];
  readonly sortAlgorithm: SortAlgorithm;
  /** The last values of `default` and `accumulative`. */
  readonly previous: { readonly default: readonly string[]; readonly accumulative: readonly string[] };
  /** Addresses without prefix lengths; the first one that exists is preferred as `default`. */
  readonly preferred: readonly string[];
  /** Whether to keep the order of the candidates. */
  readonly isOrdered: boolean;
}

/** The addresses of the node by id. Empty while it has none. */
export function nodeAddressesOf(facts: NodeAddressFacts): ReadonlyMap<string, readonly string[]> {
  const { candidates, filters, sortAlgorithm, previous, preferred, isOrdered } = facts;
  const arranged = (list: readonly string[]) => {
    const unique = [...new Set(list)];
    return isOrdered ? unique : sortAddresses(unique, sortAlgorithm);
  };
  const current = arranged(candidates.current);
  const bases = {
    current,
    routed: arranged(candidates.routed),
    accumulative: arranged([...current, ...previous.accumulative]),
  };
  const first =
    previous.default.find((kept) => current.includes(kept)) ??
    preferred.flatMap((address) => current.find((text) => addressOf(text) === address) ?? [])[0] ??
    current[0];
  const addresses = new Map<string, readonly string[]>();
  if (first !== undefined) addresses.set('default', [first]);
  for (const [base, list] of Object.entries(bases)) {
    addresses.set(base, list);
    for (const { id, spec } of filters) addresses.set(`${base}-${id}`, filterAddresses(list, spec));
  }
  return addresses;
}

/** `v1`: by address; `v2`: the more specific networks first. Source: Talos v1.14: node address sort algorithm. */
export function sortAddresses(list: readonly string[], algorithm: SortAlgorithm): string[] {
  const parsed = list.flatMap((text) => {
    const prefix = parsePrefix(text);
    return prefix === undefined ? [] : [{ text, prefix }];
  });
  const moreSpecific = (a: Prefix, b: Prefix) => a.family - b.family || b.length - a.length;
  return parsed
    .sort(
      ({ prefix: a }, { prefix: b }) => (algorithm === 'v2' && moreSpecific(a, b)) || comparePrefixes(a, b),
    )
    .map(({ text }) => text);
}

/**
 * The addresses in one of the networks to include (all if none is listed), without those in a network to
 * exclude.
 */
export function filterAddresses(
  list: readonly string[],
  { includeSubnets, excludeSubnets }: NodeAddressFilterSpec,
): string[] {
  const include = includeSubnets.flatMap((text) => parsePrefix(text) ?? []);
  const exclude = excludeSubnets.flatMap((text) => parsePrefix(text) ?? []);
  return list.filter((text) => {
    const prefix = parsePrefix(text);
    if (prefix === undefined) return false;
    if (includeSubnets.length > 0 && !include.some((network) => holds(network, prefix))) return false;
    return !exclude.some((network) => holds(network, prefix));
  });
}
