import type { KernelLink } from '@nodewright/linux/network';

export type NamedLink = Pick<KernelLink, 'index' | 'name' | 'alias' | 'altNames' | 'flags'>;

/** `IFF_UP` of <linux/if.h>. */
const up = 1;

export const isLinkUp = ({ flags }: Pick<KernelLink, 'flags'>) => (flags & up) !== 0;

/** `ARPHRD_ETHER` of <linux/if_arp.h>. */
const ethernet = 1;

/** An Ethernet device of hardware: the links of containers belong to those who made them. */
export const isHardware = ({ hardwareType, kind }: Pick<KernelLink, 'hardwareType' | 'kind'>) =>
  hardwareType === ethernet && kind === '';

/** The link of a name, an alias or an alternative name, in this order. Source: Talos v1.14: network, names and selectors. */
export function findLink<L extends Pick<NamedLink, 'name' | 'alias' | 'altNames'>>(
  links: readonly L[],
  name: string,
): L | undefined {
  return (
    links.find((link) => link.name === name) ??
    links.find(({ alias }) => alias === name) ??
    links.find(({ altNames }) => altNames.includes(name))
  );
}
