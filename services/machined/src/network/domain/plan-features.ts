// Which features of network devices to switch. Source: Talos v1.14: network, ethtool.
import type { KernelLink, LinkFeatures } from '@nodewright/linux/network';
import { findLink } from './find-link.ts';
import { shownName } from './link-plan/shown-name.ts';
import type { NetworkPlan, NetworkStep } from './network-step.ts';
import { withinLimit } from './within-limit.ts';

/** Whether each feature is on, by its name. */
export type WantedFeatures = Readonly<Record<string, boolean>>;

export interface FeatureFacts {
  /** By the name, an alias or an alternative name of the link. */
  readonly wanted: ReadonlyMap<string, WantedFeatures>;
  /** As of the last plan. */
  readonly before: FeatureMemory;
  readonly links: readonly KernelLink[];
  /** Undefined for a link that has none, or was removed. */
  readonly featuresOf: (link: KernelLink) => LinkFeatures | undefined;
}

/** What was asked of a feature before a specification named it, by the index of the link. */
export type FeatureMemory = ReadonlyMap<number, ReadonlyMap<string, boolean>>;

export const noFeatureMemory: FeatureMemory = new Map();

/** A kernel has about sixty. */
export const maxFeatures = 128;
/** More documents of this kind are a mistake. */
export const maxEthernetSpecs = 1000;

/**
 * What to do for the features of links. On purpose unlike upstream, a link may be named by its alias, and a feature that is not named any more
 * becomes what it was before. Source: Talos v1.14: network.EthernetSpecController.
 */
export function planFeatures({
  wanted,
  before,
  links,
  featuresOf,
}: FeatureFacts): NetworkPlan<FeatureMemory> {
  const waiting: string[] = [];
  const steps: NetworkStep[] = [];
  const memory = new Map<number, ReadonlyMap<string, boolean>>();
  const byLink = wantedByLink(wanted, links, waiting);
  for (const link of links) {
    const { index, name } = link;
    const own = byLink.get(index);
    const earlier = before.get(index);
    if (own === undefined && earlier === undefined) continue;
    const features = featuresOf(link);
    if (features === undefined) {
      if (own !== undefined) waiting.push(`link ${name}: its features cannot be read`);
      if (earlier !== undefined) memory.set(index, earlier);
      continue;
    }
    const plan = planLink(own ?? new Map(), earlier ?? new Map(), features);
    for (const reason of plan.waiting) waiting.push(`link ${name}: ${reason}`);
    if (plan.earlier.size > 0) memory.set(index, plan.earlier);
    if (Object.keys(plan.change).length > 0)
      steps.push({ kind: 'change-features', linkName: name, linkIndex: index, features: plan.change });
  }
  return { steps, waiting, owned: memory };
}

/** The features of each link, by its index. Of two documents about one link the later one counts. */
function wantedByLink(
  wanted: FeatureFacts['wanted'],
  links: readonly KernelLink[],
  waiting: string[],
): Map<number, Map<string, boolean>> {
  const byLink = new Map<number, Map<string, boolean>>();
  const limit = { limit: maxEthernetSpecs, what: 'EthernetConfig documents' };
  for (const [name, features] of withinLimit([...wanted], limit, waiting)) {
    const all = Object.entries(features);
    if (all.length === 0) continue;
    const link = findLink(links, name);
    if (link === undefined) {
      waiting.push(`features of ${shownName(name)}: there is no such network device`);
      continue;
    }
    const of = { limit: maxFeatures, what: `features of ${link.name}` };
    byLink.set(link.index, new Map([...(byLink.get(link.index) ?? []), ...withinLimit(all, of, waiting)]));
  }
  return byLink;
}

interface LinkFeaturePlan {
  readonly change: Readonly<Record<string, boolean>>;
  readonly earlier: ReadonlyMap<string, boolean>;
  readonly waiting: readonly string[];
}

function planLink(
  wanted: ReadonlyMap<string, boolean>,
  before: ReadonlyMap<string, boolean>,
  features: LinkFeatures,
): LinkFeaturePlan {
  const change: Record<string, boolean> = {};
  const earlier = new Map<string, boolean>();
  const [unknown, fixed, lacking]: [string[], string[], string[]] = [[], [], []];
  for (const [name, isOn] of wanted) {
    const feature = features.get(name);
    if (feature === undefined) unknown.push(name);
    else if (feature.isFixed) {
      if (feature.isOn !== isOn) fixed.push(name);
    } else {
      earlier.set(name, before.get(name) ?? feature.isWanted);
      if (feature.isWanted !== isOn) change[name] = isOn;
      else if (feature.isOn !== isOn) lacking.push(name);
    }
  }
  for (const [name, isOn] of before) {
    const feature = features.get(name);
    if (wanted.has(name) || feature === undefined || feature.isFixed || feature.isWanted === isOn) continue;
    earlier.set(name, isOn);
    change[name] = isOn;
  }
  const reason = (text: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${text} ${shownFeatures(names)}`];
  return {
    ...{ change, earlier },
    waiting: [
      ...reason('it has no feature', unknown),
      ...reason('it cannot change the feature', fixed),
      ...reason('it was asked, and does not change the feature', lacking),
    ],
  };
}

const maxShown = 4;
/** `ETH_GSTRING_LEN` of <linux/ethtool.h>. */
const isFeatureName = (name: string) => /^[\w-]{1,32}$/.test(name);

function shownFeatures(names: readonly string[]): string {
  const shown = names.slice(0, maxShown).map((name) => (isFeatureName(name) ? name : shownName(name)));
  const more = names.length - maxShown;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
