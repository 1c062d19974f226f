// On which links the kernel makes addresses and routes of routers' advertisements. Source: Talos v1.14: default sysctls.
import type { KernelLink } from '@nodewright/linux/network';
import type { LinkSpecSpec } from '@nodewright/state/kinds';
import { findLink } from './find-link.ts';
import type { Layer } from './merge-layers.ts';

/** A link that accepts advertisements. */
export interface AcceptingLink {
  readonly link: KernelLink;
  /** The highest layer that names the link. */
  readonly layer: Layer;
}

/** `ARPHRD_ETHER` of <linux/if_arp.h>. */
const ethernet = 1;

/**
 * The links that a document, the command line or an operator brings up. A member of a bond or a bridge hands its frames to that link. All
 * other links, such as those of containers, accept nothing: any neighbour can send advertisements.
 *
 * @param wanted the merged specifications under the real names of the links, without those that only the default layer names
 */
export function acceptingLinks(
  wanted: readonly LinkSpecSpec[],
  links: readonly KernelLink[],
): AcceptingLink[] {
  const accepting = new Map<number, AcceptingLink>();
  for (const { name, up, layer, bondSlave, bridgeSlave } of wanted) {
    const link = findLink(links, name);
    if (link?.hardwareType !== ethernet || !up) continue;
    if (bondSlave.masterName !== '' || bridgeSlave.masterName !== '') continue;
    accepting.set(link.index, { link, layer });
  }
  return [...accepting.values()];
}

/**
 * The ids of a specification that sets the kernel parameter `accept_ra` of a link: then the configuration decides. A name with a dot is
 * written with a slash in its place, or with slashes between the parts.
 */
export const acceptParameterIds = (linkName: string): string[] => [
  `proc.sys.net.ipv6.conf.${linkName.replaceAll('.', '/')}.accept_ra`,
  `proc.sys.net/ipv6/conf/${linkName}/accept_ra`,
];
