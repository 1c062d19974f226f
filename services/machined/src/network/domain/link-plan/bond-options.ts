// The options of a bond: which of them the kernel takes in which mode, and when those of a bond must change.
// Source: Linux, Documentation/networking/bonding.rst; Talos v1.14: network, bonds.
import type { KernelBond, KernelLink, LinkDetails } from '@nodewright/linux/network';
import {
  type BondMasterSpec,
  networkEnumerations as enums,
  type LinkSpecSpec,
} from '@nodewright/state/kinds';
import { addressOf, networkOf, parsePrefix } from '../../../base/domain/prefix.ts';
import type { OptionChanges } from './link-kinds.ts';

/** In these modes the links are not checked by ARP. */
const withoutArp = new Set<BondMasterSpec['mode']>(['802.3ad', 'balance-tlb', 'balance-alb']);
const withPrimary = new Set<BondMasterSpec['mode']>(['active-backup', 'balance-tlb', 'balance-alb']);
const balancesLoad = new Set<BondMasterSpec['mode']>(['balance-tlb', 'balance-alb']);

/** What a new bond is given. */
export function bondDetails({ bondMaster }: LinkSpecSpec, links: readonly KernelLink[]): LinkDetails {
  const primaryIndex = links.find(({ name }) => name === bondMaster.primary)?.index;
  const hasPrimary = withPrimary.has(bondMaster.mode) && primaryIndex !== undefined;
  return { bond: { ...optionsOf(bondMaster), ...(hasPrimary && { primaryIndex }) } };
}

/**
 * What differs from the bond that there is. The primary link counts only while it is a member: before that the kernel does not report it,
 * and a bond that is set up anew for each comparison would never work.
 */
export function bondChanges(
  { bondMaster }: LinkSpecSpec,
  link: KernelLink,
  links: readonly KernelLink[],
): OptionChanges | undefined {
  const kernel = link.details.bond;
  if (kernel === undefined) return undefined;
  const wanted = optionsOf(bondMaster);
  const primary = primaryChange(bondMaster, link, links);
  if (Object.entries(wanted).every(([name, value]) => isEqual(kernel[name as keyof KernelBond], value)))
    return primary === undefined
      ? undefined
      : { details: { bond: { primaryIndex: primary } }, needsRest: false };
  return {
    details: { bond: { ...wanted, ...(primary !== undefined && { primaryIndex: primary }) } },
    needsRest: true,
  };
}

/** The index to send, where 0 means none; undefined when nothing changes. */
function primaryChange(
  { mode, primary }: BondMasterSpec,
  bond: KernelLink,
  links: readonly KernelLink[],
): number | undefined {
  if (!withPrimary.has(mode)) return undefined;
  const now = bond.details.bond?.primaryIndex ?? 0;
  if (primary === '') return now === 0 ? undefined : 0;
  const link = links.find(({ name }) => name === primary);
  if (link === undefined || link.masterIndex !== bond.index || link.index === now) return undefined;
  return link.index;
}

/** What the kernel does not report, it does not have. */
function isEqual(kernel: KernelBond[keyof KernelBond], wanted: KernelBond[keyof KernelBond]): boolean {
  return kernel === undefined || JSON.stringify(kernel) === JSON.stringify(wanted);
}

function optionsOf(bond: BondMasterSpec): KernelBond {
  const isLacp = bond.mode === '802.3ad';
  return {
    mode: enums.bondMode.numberOf(bond.mode),
    xmitHashPolicy: enums.bondXmitHashPolicy.numberOf(bond.xmitHashPolicy),
    arpAllTargets: enums.arpAllTargets.numberOf(bond.arpAllTargets),
    primaryReselect: enums.primaryReselect.numberOf(bond.primaryReselect),
    failOverMac: enums.failOverMac.numberOf(bond.failOverMac),
    adSelect: enums.adSelect.numberOf(bond.adSelect),
    ...{ miimon: bond.miimon, resendIgmp: bond.resendIgmp, minLinks: bond.minLinks },
    // The kernel takes no 0.
    lpInterval: Math.max(bond.lpInterval, 1),
    ...{ numPeerNotif: bond.numPeerNotif, allSlavesActive: bond.allSlavesActive },
    // Kernels since 6.18 have no other value.
    useCarrier: 1,
    ...(isLacp && {
      lacpRate: enums.lacpRate.numberOf(bond.lacpRate),
      adUserPortKey: bond.adUserPortKey,
      adActorSysPrio: bond.adActorSysPrio || 65_535,
      lacpActive: enums.adLacpActive.numberOf(bond.adLacpActive ?? 'on'),
    }),
    ...(!withoutArp.has(bond.mode) && {
      arpValidate: enums.arpValidate.numberOf(bond.arpValidate),
      arpInterval: bond.arpInterval,
      arpIpTargets: targetsOf(bond.arpIpTargets, 4),
      nsIp6Targets: targetsOf(bond.nsIp6Targets, 6),
      ...(bond.missedMax !== 0 && { missedMax: bond.missedMax }),
    }),
    ...(bond.miimon > 0 && {
      upDelay: rounded(bond.updelay, bond.miimon),
      downDelay: rounded(bond.downdelay, bond.miimon),
      peerNotifyDelay: rounded(bond.peerNotifyDelay, bond.miimon),
    }),
    ...(bond.mode === 'balance-rr' && { packetsPerSlave: bond.packetsPerSlave }),
    ...(balancesLoad.has(bond.mode) && { tlbDynamicLb: bond.tlbLogicalLb }),
  };
}

/** The addresses of a family as the kernel writes them, each once: it refuses the others. */
function targetsOf(addresses: readonly string[], family: 4 | 6): string[] {
  const ofFamily = addresses.filter((address) => parsePrefix(address)?.family === family);
  return [...new Set(ofFamily.map((address) => addressOf(networkOf(addressOf(address)) ?? '')))];
}

/** The kernel counts delays in checks of the carrier, and rounds down. */
const rounded = (delayMs: number, miimonMs: number) => delayMs - (delayMs % miimonMs);
