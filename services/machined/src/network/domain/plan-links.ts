// Which links to make, to change and to remove, so that the kernel has what the specifications name. Links that no specification ever
// named stay as they are: those of containers belong to others. Source: Talos v1.14: network, links in the kernel.
import type { KernelLink } from '@nodewright/linux/network';
import type { LinkSpecSpec } from '@nodewright/state/kinds';
import { findLink, isHardware, isLinkUp } from './find-link.ts';
import { linkKinds } from './link-plan/link-kinds.ts';
import { type LinkMemory, LinkMemoryDraft, madeKey } from './link-plan/link-memory.ts';
import { type LinkPlanDraft, mastersOf, planRelease, planSettings } from './link-plan/link-settings.ts';
import { isLinkName, shownName } from './link-plan/shown-name.ts';
import type { NetworkPlan, NetworkStep } from './network-step.ts';
import { withinLimit } from './within-limit.ts';

export interface LinkFacts {
  /** The merged specifications. */
  readonly wanted: readonly LinkSpecSpec[];
  /** As of the last plan. */
  readonly memory: LinkMemory;
  /** Whether all other Ethernet devices come up as well, because the machine gets no address from its command line. */
  readonly bringsUpAll: boolean;
  /** Why a link must stay down, by its name. */
  readonly obstacles: ReadonlyMap<string, string>;
  readonly links: readonly KernelLink[];
  /** Addresses of the hosts of WireGuard endpoints that are names; none are known without it. */
  readonly endpointAddresses?: ReadonlyMap<string, string>;
}

/** A machine with more links than this has a mistake in its configuration. */
export const maxLinks = 1000;

interface Found {
  readonly spec: LinkSpecSpec;
  /** Undefined when the kernel does not have it. */
  readonly link: KernelLink | undefined;
}

/**
 * What to do for the links. A link that stands on another one, such as a VLAN, is made by the plan after the one that makes the other.
 * Made links are removed with their specification. What a specification changed about other links is undone, but for up and down.
 */
export function planLinks(facts: LinkFacts): NetworkPlan<LinkMemory> {
  const { links, obstacles } = facts;
  const waiting: string[] = [];
  // Before they are put in their order, which goes through the links below each one.
  const wanted = inOrder(withinLimit(facts.wanted, { limit: maxLinks, what: 'links' }, waiting));
  const found = findAll(wanted, links, waiting);
  const memory = new LinkMemoryDraft(facts.memory, links);
  const steps: NetworkStep[] = [];
  const names = new Set(facts.wanted.map(({ name }) => name));
  const removed = removedLinks(found, names, { memory, links });
  for (const { name, index } of removed)
    steps.push({ kind: 'remove-link', linkName: name, linkIndex: index });
  const gone = withDependants(removed, links);
  const missing = found.flatMap(({ spec, link }) =>
    spec.logical && (link === undefined || gone.has(link.index)) ? [spec] : [],
  );
  const draft: LinkPlanDraft = {
    ...{ links, memory, steps, waiting, gone, obstacles, parted: new Set() },
    endpointAddresses: facts.endpointAddresses ?? new Map(),
    coming: new Set(missing.map(({ name }) => name)),
  };
  for (const { spec, link } of found)
    if (link !== undefined && !gone.has(link.index)) planSettings(spec, link, draft);
  // After the settings: a VLAN takes the MTU that the link below it has when it is made.
  planCreations(missing, draft);
  const leftOut = new Set(facts.wanted.slice(maxLinks).map(({ name }) => name));
  const isLeftOut = ({ name, alias, altNames }: KernelLink) =>
    [name, alias, ...altNames].some((each) => leftOut.has(each));
  const named = new Set(found.map(({ link }) => link));
  for (const link of links) {
    if (named.has(link) || gone.has(link.index) || isLeftOut(link)) continue;
    if (memory.before.has(link.index)) planRelease(link, draft);
    if (facts.bringsUpAll && isHardware(link) && !isLinkUp(link)) bringUp(link, draft);
  }
  return { steps, waiting, owned: memory };
}

function bringUp({ name, index }: KernelLink, { obstacles, waiting, steps }: LinkPlanDraft): void {
  const obstacle = obstacles.get(name);
  if (obstacle === undefined) steps.push({ kind: 'set-link-up', linkName: name, linkIndex: index });
  else waiting.push(`link ${name} stays down, ${obstacle}`);
}

/** What others stand on first, and members of a bond by their position. */
function inOrder(wanted: readonly LinkSpecSpec[]): LinkSpecSpec[] {
  const byName = new Map(wanted.map((spec) => [spec.name, spec]));
  const depths = new Map<string, number>();
  const depthOf = (spec: LinkSpecSpec): number => {
    const known = depths.get(spec.name);
    if (known !== undefined) return known;
    // Links in a ring end here.
    depths.set(spec.name, 0);
    const below = [spec.parentName, ...mastersOf(spec)].flatMap((name) => byName.get(name) ?? []);
    const depth = Math.max(0, ...below.map((each) => depthOf(each) + 1));
    depths.set(spec.name, depth);
    return depth;
  };
  return wanted.toSorted(
    (a, b) =>
      depthOf(a) - depthOf(b) ||
      a.bondSlave.slaveIndex - b.bondSlave.slaveIndex ||
      (a.name < b.name ? -1 : Number(a.name > b.name)),
  );
}

function findAll(wanted: readonly LinkSpecSpec[], links: readonly KernelLink[], waiting: string[]): Found[] {
  const taken = new Set<KernelLink>();
  return wanted.flatMap((spec): Found[] => {
    const { name, logical, kind, layer } = spec;
    const link = logical ? links.find((each) => each.name === name) : findLink(links, name);
    const wait = (reason: string): Found[] => {
      waiting.push(`link ${shownName(name)}: ${reason}`);
      return [];
    };
    if (logical && !isLinkName(name)) return wait('a link cannot have this name');
    if (logical && kind === 'veth' && !isLinkName(spec.veth.peerName))
      return wait(`its other end cannot have the name ${shownName(spec.veth.peerName)}`);
    if (logical && !Object.hasOwn(linkKinds, kind))
      return wait(`links of the kind ${shownName(kind)} are not supported`);
    if (link === undefined) {
      if (logical) return [{ spec, link }];
      // That of another layer is reported by its address.
      return layer === 'configuration' ? wait('there is no such network device') : [];
    }
    if (logical && link.kind === '') return wait('a device of the hardware has this name');
    if (taken.has(link)) return wait(`${link.name} has another specification`);
    taken.add(link);
    return [{ spec, link }];
  });
}

/**
 * Links that were made and are not named any more, and those that the kernel cannot change to what is wanted.
 *
 * @param names of all specifications, also of those that wait
 */
function removedLinks(
  found: readonly Found[],
  names: ReadonlySet<string>,
  { memory, links }: Pick<LinkPlanDraft, 'memory' | 'links'>,
): KernelLink[] {
  const leaving = links.filter((link) => memory.made.has(madeKey(link)) && !names.has(link.name));
  const other = found.flatMap(({ spec, link }) => {
    if (link === undefined || !spec.logical) return [];
    const isOther = link.kind !== spec.kind || linkKinds[spec.kind]?.isOther?.(spec, link, links) === true;
    return isOther ? [link] : [];
  });
  return [...leaving, ...other];
}

/** With a link, the kernel removes those that stand on it, and the other end of a pair. */
function withDependants(removed: readonly KernelLink[], links: readonly KernelLink[]): Set<number> {
  const gone = new Set(removed.map(({ index }) => index));
  for (;;) {
    const more = links.filter(
      ({ index, kind, linkIndex, isLinkHere }) =>
        kind !== '' && isLinkHere && !gone.has(index) && gone.has(linkIndex),
    );
    if (more.length === 0) return gone;
    for (const { index } of more) gone.add(index);
  }
}

function planCreations(missing: readonly LinkSpecSpec[], draft: LinkPlanDraft): void {
  const { links, gone, coming, steps, waiting, memory } = draft;
  const staying = links.filter(({ index }) => !gone.has(index));
  const asPeers = new Set<string>();
  for (const spec of missing) {
    const { name, kind, hardwareAddr, parentName } = spec;
    memory.made.add(madeKey(spec));
    // The other end makes this one.
    if (asPeers.has(name)) continue;
    const parent = kind === 'vlan' ? findLink(staying, parentName) : undefined;
    if (kind === 'vlan' && parent === undefined) {
      if (!coming.has(parentName))
        waiting.push(`link ${name}: there is no network device ${shownName(parentName)} to carry it`);
      continue;
    }
    const peerName = kind === 'veth' ? spec.veth.peerName : '';
    if (peerName !== '') asPeers.add(peerName);
    steps.push({
      kind: 'create-link',
      creation: {
        ...{ name, kind, peerName, hardwareAddress: hardwareAddr, parentIndex: parent?.index ?? 0 },
        details: linkKinds[kind]?.details(spec, staying) ?? {},
      },
    });
  }
}
