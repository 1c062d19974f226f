// What a link that exists needs: its options, its settings, its master, and whether it is up.
import type { KernelLink, LinkChange } from '@nodewright/linux/network';
import type { LinkSpecSpec } from '@nodewright/state/kinds';
import { isLinkUp } from '../find-link.ts';
import type { NetworkStep } from '../network-step.ts';
import { linkKinds } from './link-kinds.ts';
import type { Attempts, LinkMemoryDraft } from './link-memory.ts';
import { shownName } from './shown-name.ts';

/** What the phases of a plan share. */
export interface LinkPlanDraft {
  readonly links: readonly KernelLink[];
  readonly memory: LinkMemoryDraft;
  readonly steps: NetworkStep[];
  readonly waiting: string[];
  /** Indices of links that the plan removes, with those that the kernel removes with them. */
  readonly gone: ReadonlySet<number>;
  /** Names of links that are made by this plan, or by a later one. */
  readonly coming: ReadonlySet<string>;
  /** Indices of links that this plan takes out of their master. */
  readonly parted: Set<number>;
  /** Why a link must stay down, by its name. */
  readonly obstacles: ReadonlyMap<string, string>;
  /** Addresses of the hosts of WireGuard endpoints that are names. */
  readonly endpointAddresses: ReadonlyMap<string, string>;
}

/** Layers of which a link that is down, or has no master, is meant to be so. The others only want something from it. */
const deciding = new Set<LinkSpecSpec['layer']>(['configuration', 'platform', 'cmdline']);

/** `ARPHRD_LOOPBACK` of <linux/if_arp.h>. */
const loopback = 772;
const isMulticast = 0x1000;

/** Adds the steps that lead from the link that there is to its specification. */
export function planSettings(spec: LinkSpecSpec, link: KernelLink, draft: LinkPlanDraft): void {
  const change = (of: LinkChange) =>
    draft.steps.push({ kind: 'change-link', linkName: link.name, linkIndex: link.index, change: of });
  const down = () => draft.steps.push({ kind: 'set-link-down', linkName: link.name, linkIndex: link.index });
  const rests = planOptions(spec, link, draft, { change, down });
  if (spec.logical) linkKinds[spec.kind]?.plan?.(spec, link, draft);
  planPlainSettings(spec, link, draft, change);
  const isJoining = planMaster(spec, link, draft, { change, down });
  planUp(spec, link, draft, { isDownNow: rests || isJoining, down });
}

interface Acts {
  readonly change: (change: LinkChange) => void;
  readonly down: () => void;
}

/** @returns whether the plan has set the link down */
function planOptions(spec: LinkSpecSpec, link: KernelLink, draft: LinkPlanDraft, { change, down }: Acts) {
  if (!spec.logical) return false;
  const changes = linkKinds[spec.kind]?.changes?.(spec, link, draft.links);
  if (changes === undefined) {
    draft.memory.set(link.index, { rests: undefined });
    return false;
  }
  if (changes.needsRest) {
    if (!mayRest(link, JSON.stringify([changes.details, link.details]), draft)) return false;
    down();
    for (const member of draft.links.filter(({ masterIndex }) => masterIndex === link.index)) {
      const { name, index } = member;
      draft.steps.push({ kind: 'change-link', linkName: name, linkIndex: index, change: { masterIndex: 0 } });
      draft.parted.add(index);
    }
  }
  change({ options: { kind: spec.kind, details: changes.details } });
  return changes.needsRest;
}

/** A kernel that understands options differently than we do, or takes no link into a bond, must not cost a node its network for ever. */
const maxRests = 15;

function mayRest(link: KernelLink, options: string, { memory, waiting }: LinkPlanDraft): boolean {
  const rests = oneMore(memory.before.get(link.index)?.rests, options);
  if (rests === undefined) {
    waiting.push(`link ${link.name}: the kernel keeps other options than it was given`);
    return false;
  }
  memory.set(link.index, { rests });
  return true;
}

/** Whether a link may be set down for a bond, which did not take it so often. It may take a link of another size, or with nothing on it. */
function mayJoin(link: KernelLink, master: KernelLink, { links, memory, waiting }: LinkPlanDraft): boolean {
  const carries = links.some(
    ({ kind, linkIndex, isLinkHere }) => kind !== '' && isLinkHere && linkIndex === link.index,
  );
  const options = JSON.stringify([master.index, master.mtu, master.details, link.mtu, carries]);
  const joins = oneMore(memory.before.get(link.index)?.joins, options);
  if (joins === undefined) {
    waiting.push(`link ${link.name}: the kernel does not let it join ${master.name}`);
    return false;
  }
  memory.set(link.index, { joins });
  return true;
}

/** Undefined after too many. */
function oneMore(last: Attempts | undefined, options: string): Attempts | undefined {
  const times = last?.options === options ? last.times + 1 : 1;
  return times > maxRests ? undefined : { options, times };
}

/**
 * What a specification does not name any more becomes what it was before. A member of a bond has the MTU and the address of the bond: they
 * are no earlier ones of the link, and are undone when it has left the bond.
 */
function planPlainSettings(
  { mtu, hardwareAddr, multicast }: Pick<LinkSpecSpec, 'mtu' | 'hardwareAddr' | 'multicast'>,
  link: KernelLink,
  { links, memory }: LinkPlanDraft,
  change: (change: LinkChange) => void,
): void {
  const isBonded = links.some(({ index, kind }) => index === link.masterIndex && kind === 'bond');
  const before = memory.before.get(link.index);
  const hasMulticast = (link.flags & isMulticast) !== 0;
  const address = hardwareAddr.toLowerCase().replaceAll('-', ':');
  if (!isBonded && mtu !== 0 && mtu !== link.mtu) memory.keep(link.index, { mtu: link.mtu });
  if (!isBonded && address !== '' && address !== link.hardwareAddress)
    memory.keep(link.index, { hardwareAddress: link.hardwareAddress });
  if (multicast !== undefined && multicast !== hasMulticast)
    memory.keep(link.index, { multicast: hasMulticast });
  const wantedMtu = mtu || (isBonded ? undefined : before?.mtu);
  const wantedAddress = address || (isBonded ? undefined : before?.hardwareAddress);
  const wantedMulticast = multicast ?? before?.multicast;
  if (wantedMtu !== undefined && wantedMtu !== link.mtu) change({ mtu: wantedMtu });
  else if (mtu === 0 && !isBonded) memory.set(link.index, { mtu: undefined });
  if (wantedAddress !== undefined && wantedAddress !== link.hardwareAddress)
    change({ hardwareAddress: wantedAddress });
  else if (address === '' && !isBonded) memory.set(link.index, { hardwareAddress: undefined });
  if (wantedMulticast !== undefined && wantedMulticast !== hasMulticast)
    change({ multicast: wantedMulticast });
  else if (multicast === undefined) memory.set(link.index, { multicast: undefined });
}

/** @returns whether the plan has set the link down */
function planMaster(spec: LinkSpecSpec, link: KernelLink, draft: LinkPlanDraft, acts: Acts): boolean {
  const { links, memory, parted, gone, coming, waiting } = draft;
  const [masterName = '', ...others] = mastersOf(spec);
  if (others.length > 0)
    waiting.push(
      `link ${link.name} is only a member of ${shownName(masterName)}, and not of ${others.map(shownName).join(', ')}`,
    );
  const isParted = parted.has(link.index) || gone.has(link.masterIndex);
  const current = isParted ? 0 : link.masterIndex;
  if (masterName === '') {
    const known = memory.before.get(link.index)?.masterIndex;
    if (current !== 0 && (deciding.has(spec.layer) || known === current)) acts.change({ masterIndex: 0 });
    // Not before it has left: a pass may end before the step with which it does.
    else if (link.masterIndex !== known) memory.set(link.index, { masterIndex: undefined });
    return false;
  }
  const master = links.find(({ name, index }) => name === masterName && !gone.has(index));
  if (master === undefined) {
    if (!coming.has(masterName))
      waiting.push(`link ${link.name}: there is no network device ${shownName(masterName)} for it to join`);
    return false;
  }
  if (link.hardwareType === loopback) {
    waiting.push(`link ${link.name}: the loopback device joins no other link`);
    return false;
  }
  memory.set(link.index, { masterIndex: master.index });
  if (current === master.index) {
    memory.set(link.index, { joins: undefined });
    return false;
  }
  // A bond takes only links that are down.
  const mustBeDown = master.kind === 'bond' && (isLinkUp(link) || isParted);
  if (mustBeDown && !isParted && !mayJoin(link, master, draft)) return false;
  if (mustBeDown) acts.down();
  acts.change({ masterIndex: master.index });
  return mustBeDown;
}

/** Each once, the one that counts first. */
export function mastersOf({ bondSlave, bridgeSlave, vrfSlave }: LinkSpecSpec): string[] {
  const names = [bondSlave.masterName, bridgeSlave.masterName, vrfSlave.masterName];
  return [...new Set(names.filter((name) => name !== ''))];
}

function planUp(
  spec: LinkSpecSpec,
  link: KernelLink,
  { links, steps, waiting, obstacles }: LinkPlanDraft,
  { isDownNow, down }: { readonly isDownNow: boolean; readonly down: () => void },
): void {
  if (spec.up) {
    if (isLinkUp(link) && !isDownNow) return;
    // The kernel takes up no VLAN without the link below it, with which it comes up later.
    const carrier = link.kind === 'vlan' ? links.find(({ index }) => index === link.linkIndex) : undefined;
    const obstacle =
      carrier === undefined || willBeUp(carrier, steps)
        ? obstacles.get(link.name)
        : `because ${carrier.name}, which carries it, is down`;
    if (obstacle === undefined)
      steps.push({ kind: 'set-link-up', linkName: link.name, linkIndex: link.index });
    else waiting.push(`link ${link.name} stays down, ${obstacle}`);
    return;
  }
  if (!deciding.has(spec.layer) || !isLinkUp(link)) return;
  // The programs of the node reach each other through it.
  if (link.hardwareType === loopback) waiting.push(`link ${link.name}: the loopback device stays up`);
  else down();
}

/** Whether a link is up after the steps. Those of the links below others are planned first. */
function willBeUp(link: KernelLink, steps: readonly NetworkStep[]): boolean {
  const last = steps.findLast(
    (step) => (step.kind === 'set-link-up' || step.kind === 'set-link-down') && step.linkIndex === link.index,
  );
  return last === undefined ? isLinkUp(link) : last.kind === 'set-link-up';
}

/** Gives a link that no specification names any more back as it was. */
export function planRelease(link: KernelLink, draft: LinkPlanDraft): void {
  const { memory, steps, gone, parted } = draft;
  const change = (of: LinkChange) =>
    steps.push({ kind: 'change-link', linkName: link.name, linkIndex: link.index, change: of });
  planPlainSettings({ mtu: 0, hardwareAddr: '', multicast: undefined }, link, draft, change);
  memory.set(link.index, { endpoints: undefined });
  const master = memory.before.get(link.index)?.masterIndex;
  if (master === undefined) return;
  if (link.masterIndex !== master) memory.set(link.index, { masterIndex: undefined });
  else if (!gone.has(master) && !parted.has(link.index)) change({ masterIndex: 0 });
}
