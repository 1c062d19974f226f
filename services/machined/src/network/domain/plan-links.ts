import type { KernelLink } from '@nodewright/linux/network';
import { findLink, isHardware, isLinkUp, type NamedLink } from './find-link.ts';
import type { NetworkPlan } from './network-step.ts';

export interface LinkFacts {
  /** The names of the links that must be up. */
  readonly wanted: readonly string[];
  /** Whether all other Ethernet devices come up as well, because the machine gets no address from its command line. */
  readonly bringsUpAll: boolean;
  /** Why a link must stay down, by its name. */
  readonly obstacles: ReadonlyMap<string, string>;
  readonly links: readonly (NamedLink & Pick<KernelLink, 'hardwareType' | 'kind'>)[];
}

/**
 * The links to set up. No link is ever set down, so none belongs to a specification. A missing link is not reported: its
 * addresses are.
 */
export function planLinks({ wanted, bringsUpAll, obstacles, links }: LinkFacts): NetworkPlan {
  const named = wanted.flatMap((name) => findLink(links, name) ?? []);
  const others = bringsUpAll ? links.filter(isHardware) : [];
  const down = [...new Set([...named, ...others])].filter((link) => !isLinkUp(link));
  return {
    steps: down
      .filter(({ name }) => !obstacles.has(name))
      .map(({ name, index }) => ({ kind: 'set-link-up', linkName: name, linkIndex: index })),
    waiting: down.flatMap(({ name }) => {
      const obstacle = obstacles.get(name);
      return obstacle === undefined ? [] : [`link ${name} stays down, ${obstacle}`];
    }),
    owned: new Set(),
  };
}
