// Which addresses a machine loses with another configuration, before it is applied: somebody may reach it by one of them.
import { ConfigReader } from '@nodewright/machine-config';
import type { AddressSpecSpec, LinkSpecSpec } from '@nodewright/state/kinds';
import { type DecodedConfiguration, effectiveOf } from '../../base/domain/machine-configuration.ts';
import { addressOf, parsePrefix } from '../../base/domain/prefix.ts';
import { addressSpecsOf } from './address-documents.ts';
import {
  deviceAddresses,
  deviceLinks,
  deviceOperators,
  expandEntries,
  type PresentLink,
} from './device-configs.ts';
import type { LayeredSpec } from './explain-specs.ts';
import { findLink } from './find-link.ts';
import { linkSpecsOf } from './link-documents.ts';
import { operatorSpecsOf } from './operator-documents.ts';

export interface LostAddressFacts {
  /** The specifications of all layers. */
  readonly addresses: readonly LayeredSpec<AddressSpecSpec>[];
  readonly links: readonly LayeredSpec<LinkSpecSpec>[];
  /** What the kernel has. */
  readonly present: {
    readonly links: readonly PresentLink[];
    readonly addresses: readonly { readonly linkName: string; readonly address: string }[];
  };
  /** The links that the kernel's command line wants DHCP on. */
  readonly dhcpOfCommandLine: readonly string[];
}

/**
 * The addresses, without their lengths, that specifications name now and that no specification would name with the configuration, or whose
 * link would be down or gone. A lease counts as kept when its link still asks a DHCP server. Addresses without a specification, and shared
 * ones, are left out: they come and go by themselves.
 */
export function lostAddresses(
  { addresses, links, present, dhcpOfCommandLine }: LostAddressFacts,
  next: DecodedConfiguration,
): string[] {
  const named = present.links.map(({ name, spec: { alias, altNames } }) => ({ name, alias, altNames }));
  const realName = (name: string) => findLink(named, name)?.name ?? name;
  const keyOf = (linkName: string, address: string) => {
    const prefix = parsePrefix(address);
    // With another length it is the same address to those who call it.
    return `${realName(linkName)} ${prefix === undefined ? address : `${prefix.family} ${prefix.bits}`}`;
  };
  const reader = new ConfigReader(next.documents);
  const listed = reader.legacy.items('machine', 'network', 'interfaces');
  const { devices: entries } = expandEntries(listed, present.links);
  const nextLinks = [...deviceLinks(entries, present.links), ...linkSpecsOf(reader)];
  const asking = new Set(
    [
      ...dhcpOfCommandLine,
      ...[...deviceOperators(entries), ...operatorSpecsOf(reader)]
        .filter(({ operator }) => operator === 'dhcp4')
        .map(({ linkName }) => linkName),
    ].map(realName),
  );
  const isListed = new Set(entries.map(({ name }) => realName(name)));
  const asksByDefault = (linkName: string) =>
    effectiveOf(next).usesDefaultDhcp && !isListed.has(realName(linkName));
  const wanted = new Set(
    [...deviceAddresses(entries), ...addressSpecsOf(reader)].map(({ linkName, address }) =>
      keyOf(linkName, address),
    ),
  );
  const isGone = goneLinks(links, nextLinks, realName);
  const stays = ({ id, spec }: LayeredSpec<AddressSpecSpec>) => {
    const { layer, linkName, address } = spec;
    if (isGone.has(realName(linkName))) return false;
    if (layer === 'configuration') return wanted.has(keyOf(linkName, address));
    return !id.startsWith('dhcp4/') || asking.has(realName(linkName)) || asksByDefault(linkName);
  };
  const lasting = addresses.filter(({ id }) => !id.startsWith('vip/'));
  const now = new Set(lasting.map(({ spec }) => keyOf(spec.linkName, spec.address)));
  const then = new Set(lasting.filter(stays).map(({ spec }) => keyOf(spec.linkName, spec.address)));
  const lost = present.addresses.filter(({ linkName, address }) => {
    const key = keyOf(linkName, address);
    if (!now.has(key) || then.has(key)) return false;
    // A new document may name what another layer has named.
    return !wanted.has(key) || isGone.has(realName(linkName));
  });
  return [...new Set(lost.map(({ address }) => addressOf(address)))];
}

/** Links that are up, or made, by what is specified now, and not with the next configuration. */
function goneLinks(
  links: readonly LayeredSpec<LinkSpecSpec>[],
  next: readonly LinkSpecSpec[],
  realName: (name: string) => string,
): ReadonlySet<string> {
  const others = links.map(({ spec }) => spec).filter(({ layer }) => layer !== 'configuration');
  const made = new Set([...others, ...next].filter(({ logical }) => logical).map(({ name }) => name));
  const removed = links
    .map(({ spec }) => spec)
    .filter(({ logical, name }) => logical && !made.has(name))
    .map(({ name }) => name);
  const down = next.filter(({ up }) => !up).map(({ name }) => realName(name));
  return new Set([...removed, ...down]);
}
