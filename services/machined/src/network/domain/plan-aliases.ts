// Which aliases of links to set and to remove. Source: Talos v1.14: network, aliases.
import type { KernelLink } from '@nodewright/linux/network';
import type { NetworkPlan, NetworkStep } from './network-step.ts';

export interface AliasFacts {
  /** The alias of each link, by the name of the link. */
  readonly wanted: ReadonlyMap<string, string>;
  /** As of the last plan: what the links had before, by their indices. */
  readonly before: AliasMemory;
  readonly links: readonly KernelLink[];
}

/** The aliases that links had before they got another one, by the index of the link. */
export type AliasMemory = ReadonlyMap<number, string>;

export const noAliasMemory: AliasMemory = new Map();

/**
 * What to do for the aliases. One that is not wanted any more becomes what it was before. On purpose unlike upstream,
 * which removes all others, an alias that no specification named stays.
 */
export function planAliases({ wanted, before, links }: AliasFacts): NetworkPlan<AliasMemory> {
  const steps: NetworkStep[] = [];
  const memory = new Map<number, string>();
  for (const link of links) {
    const { index, name, alias } = link;
    const earlier = before.get(index);
    const change = (to: string) => {
      memory.set(index, earlier ?? alias);
      if (alias !== to)
        steps.push({ kind: 'change-link', linkName: name, linkIndex: index, change: { alias: to } });
    };
    const own = wanted.get(name);
    if (own !== undefined) change(own);
    // Until the kernel has the earlier one, so that a step that fails is taken again.
    else if (earlier !== undefined && alias !== earlier) change(earlier);
  }
  return { steps, waiting: [], owned: memory };
}
