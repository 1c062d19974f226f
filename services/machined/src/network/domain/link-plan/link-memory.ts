import type { KernelLink } from '@nodewright/linux/network';
import type { TakenEndpoints } from './plan-wireguard.ts';

/** How often the same was tried. */
export interface Attempts {
  readonly options: string;
  readonly times: number;
}

/** What a link was like before a specification changed it, so that it can be like that again. */
export interface LinkBefore {
  readonly mtu?: number;
  readonly hardwareAddress?: string;
  readonly multicast?: boolean;
  /** The master that it has because of a specification. */
  readonly masterIndex?: number;
  /** Options for which it was set down, with those that it had, and how often without a change of either. */
  readonly rests?: Attempts;
  /** What it was like when it was set down to join a bond, and how often without a success. */
  readonly joins?: Attempts;
  readonly endpoints?: TakenEndpoints;
}

/** What the plan for links has to know of earlier ones. */
export interface LinkMemory {
  /** The keys of the links that were made, or are about to be. */
  readonly made: ReadonlySet<string>;
  /** By the index of the link. */
  readonly before: ReadonlyMap<number, LinkBefore>;
}

export const noLinkMemory: LinkMemory = { made: new Set(), before: new Map() };

/** Of a link that is made: another one with its name, of another kind, belongs to somebody else. */
export const madeKey = ({ name, kind }: Pick<KernelLink, 'name' | 'kind'>) => `${kind} ${name}`;

/** The memory that a plan leaves: it begins as the one of the plan before, without the links that the kernel does not have any more. */
export class LinkMemoryDraft implements LinkMemory {
  readonly made: Set<string>;
  readonly before: Map<number, LinkBefore>;

  constructor(memory: LinkMemory, links: readonly KernelLink[]) {
    const present = new Set(links.map(madeKey));
    const indices = new Set(links.map(({ index }) => index));
    this.made = new Set([...memory.made].filter((key) => present.has(key)));
    this.before = new Map([...memory.before].filter(([index]) => indices.has(index)));
  }

  /** Keeps the first value of each setting. */
  keep(index: number, before: LinkBefore): void {
    this.before.set(index, { ...before, ...this.before.get(index) });
  }

  /** Replaces the values of these settings; what is undefined is forgotten. */
  set(index: number, before: { readonly [K in keyof LinkBefore]: LinkBefore[K] | undefined }): void {
    const all = Object.entries({ ...this.before.get(index), ...before });
    const known = all.filter(([, value]) => value !== undefined);
    if (known.length === 0) this.before.delete(index);
    else this.before.set(index, Object.fromEntries(known));
  }
}
