// Which addresses to add to links and to remove, so that the kernel has what the specifications name. Foreign addresses stay.
// Source: Talos v1.14: network, addresses in the kernel.
import { type AddressChange, ipAddressText, type KernelAddress } from '@nodewright/linux/network';
import { type AddressSpecSpec, networkEnumerations as enums } from '@nodewright/state/kinds';
import { addressBytes, addressOf, type Prefix, parsePrefix } from '../../base/domain/prefix.ts';
import { findLink, type NamedLink } from './find-link.ts';
import type { NetworkPlan, NetworkStep } from './network-step.ts';
import { configuredLast, withinLimit } from './within-limit.ts';

export interface PlanAddressesFacts {
  /** The merged specifications. */
  readonly wanted: readonly AddressSpecSpec[];
  /** As of the last plan. */
  readonly owned: ReadonlySet<string>;
  readonly links: readonly NamedLink[];
  /** Names of links that specifications make. */
  readonly made?: ReadonlySet<string>;
  readonly addresses: readonly KernelAddress[];
}

export const maxAddresses = 1000;

const inet6 = 10;
const permanent = enums.addressFlags.bitsOf(['permanent']);
/** The flags that a specification decides; the kernel has others for the state of an address. */
const managedFlags = enums.addressFlags.bitsOf([
  'permanent',
  'nodad',
  'homeaddress',
  'mngmtmpaddr',
  'noprefixroute',
  'mcautojoin',
]);

interface Wanted {
  readonly linkName: string;
  readonly address: AddressChange;
}

/**
 * What to do for the addresses of links. An address that is new is added before another one is removed, so that a link that
 * changes its address is never without one.
 * A specification without the flag `permanent` is left to the operator that made it: it has lent the address to the kernel for
 * a limited time, and only it knows whether that may go on.
 * What a specification names is never removed, whatever its flags, and neither is an address whose specification names a link that
 * cannot be found: the link of the address may have got another name, and the node is reached through it.
 */
export function planAddresses({ wanted, owned, links, made, addresses }: PlanAddressesFacts): NetworkPlan {
  const found = new Map<string, Wanted>();
  const waiting: string[] = [];
  const deferred: string[] = [];
  const lent = new Set<string>();
  const withoutLink = new Set<string>();
  const limit = { limit: maxAddresses, what: 'addresses' };
  for (const spec of withinLimit(configuredLast(wanted), limit, waiting)) {
    const isPermanent = spec.flags.includes('permanent');
    const one = wantedAddress(spec, links);
    if (typeof one !== 'string') {
      if (isPermanent) found.set(one.key, one);
      else lent.add(one.key);
      continue;
    }
    const prefix = parsePrefix(spec.address);
    if (prefix !== undefined) withoutLink.add(prefixKey(prefix));
    if (!isPermanent) continue;
    if (prefix !== undefined && made?.has(spec.linkName))
      deferred.push(`address ${spec.address}: the link ${spec.linkName} is not made yet`);
    else waiting.push(one);
  }
  const present = presentAddresses(addresses);
  const added: NetworkStep[] = [];
  const changed: NetworkStep[] = [];
  const removed: NetworkStep[] = [];
  for (const [key, { linkName, address }] of found) {
    const kernel = present.get(key);
    if (kernel === undefined) added.push({ kind: 'add-address', linkName, address });
    else changed.push(...changesOf(linkName, kernel, address));
  }
  const rest = [...owned].filter((key) => present.has(key) && !found.has(key));
  const isKept = (key: string) => lent.has(key) || withoutLink.has(key.slice(key.indexOf('/') + 1));
  const leaving = rest.filter((key) => !isKept(key));
  for (const key of leaving) {
    const address = present.get(key) as KernelAddress;
    const linkName = links.find(({ index }) => index === address.linkIndex)?.name ?? '';
    removed.push({ kind: 'remove-address', linkName, address: changeOf(address) });
  }
  return {
    steps: [...added, ...changed, ...removed],
    ...{ waiting, deferred, owned: new Set([...rest, ...found.keys()]) },
  };
}

function wantedAddress(
  spec: AddressSpecSpec,
  links: readonly NamedLink[],
): (Wanted & { readonly key: string }) | string {
  const prefix = parsePrefix(spec.address);
  if (prefix === undefined) return `${spec.address} for ${spec.linkName} is not an address`;
  const link = findLink(links, spec.linkName);
  if (link === undefined) return `address ${spec.address}: there is no network device ${spec.linkName}`;
  const family = prefix.family === 6 ? inet6 : 2;
  return {
    ...{ key: keyOf(link.index, prefix), linkName: link.name },
    address: {
      ...{ linkIndex: link.index, family, prefixLength: prefix.length, priority: spec.priority },
      address: ipAddressText(addressBytes(addressOf(spec.address))),
      // The kernel finds the scope of an IPv6 address itself.
      scope: family === inet6 ? 0 : enums.scope.numberOf(spec.scope),
      flags: enums.addressFlags.bitsOf(spec.flags) & managedFlags,
    },
  };
}

/** The addresses that a specification can name. Point-to-point addresses, which also have that of the peer, are left out. */
function presentAddresses(addresses: readonly KernelAddress[]): Map<string, KernelAddress> {
  const present = new Map<string, KernelAddress>();
  for (const each of addresses) {
    if (each.local !== '' && each.local !== each.address) continue;
    const prefix = parsePrefix(`${each.address}/${each.prefixLength}`);
    if (prefix !== undefined) present.set(keyOf(each.linkIndex, prefix), each);
  }
  return present;
}

const prefixKey = ({ family, bits, length }: Prefix) => `${family}/${bits.toString(16)}/${length}`;
const keyOf = (linkIndex: number, prefix: Prefix) => `${linkIndex}/${prefixKey(prefix)}`;

/**
 * The kernel changes the priority and the lifetime in place, which keeps the routes and connections of the address. It takes
 * priority 0 of an IPv6 address as "no change".
 */
function changesOf(linkName: string, kernel: KernelAddress, address: AddressChange): NetworkStep[] {
  const differing = (kernel.flags ^ address.flags) & managedFlags;
  const isSameScope = kernel.family === inet6 || kernel.scope === address.scope;
  const isSamePriority = kernel.priority === address.priority;
  if (isSameScope && isSamePriority && differing === 0) return [];
  const canChangePriority = isSamePriority || kernel.family !== inet6 || address.priority !== 0;
  if (isSameScope && canChangePriority && (differing & ~permanent) === 0) {
    return [{ kind: 'replace-address', linkName, address }];
  }
  return [
    { kind: 'remove-address', linkName, address: changeOf(kernel) },
    { kind: 'add-address', linkName, address },
  ];
}

const changeOf = ({ linkIndex, family, prefixLength, address, scope, flags, priority }: KernelAddress) => ({
  ...{ linkIndex, family, prefixLength, address, scope, flags, priority },
});
