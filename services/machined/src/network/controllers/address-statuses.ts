import type { KernelAddress, KernelLink } from '@nodewright/linux';
import { type AddressStatusSpec, networkEnumerations as enums } from '@nodewright/state/kinds';
import type { Wanted } from './link-statuses.ts';

/**
 * The addresses of links, as `<link>/<address>`. An address whose link is already gone is left out: the event
 * of its removal follows. Source: Talos v1.14: COSI resources, AddressStatuses.
 */
export function addressStatusesOf(
  addresses: readonly KernelAddress[],
  links: readonly Pick<KernelLink, 'index' | 'name'>[],
): Wanted<AddressStatusSpec>[] {
  const names = new Map(links.map(({ index, name }) => [index, name]));
  const wanted = new Map<string, Wanted<AddressStatusSpec>>();
  for (const address of addresses) {
    const linkName = names.get(address.linkIndex);
    if (linkName === undefined || address.address === '') continue;
    const prefix = `${address.address}/${address.prefixLength}`;
    const id = `${linkName}/${prefix}`;
    wanted.set(id, { id, spec: specOf(address, prefix, linkName) });
  }
  return [...wanted.values()];
}

function specOf(of: KernelAddress, address: string, linkName: string): AddressStatusSpec {
  const { local, broadcast, anycast, multicast, linkIndex, priority } = of;
  return {
    ...{ address, local, broadcast, anycast, multicast, linkIndex, linkName },
    family: enums.family.textOf(of.family),
    scope: enums.scope.textOf(of.scope),
    flags: enums.addressFlags.flagsOf(of.flags),
    priority,
  };
}
