// The kinds of links that specifications make: what the kernel is given, and what it cannot change afterwards. A new kind is one more row.
// Source: Talos v1.14: network, links in the kernel.
import type { KernelLink, LinkDetails } from '@nodewright/linux/network';
import { networkEnumerations as enums, type LinkSpecSpec } from '@nodewright/state/kinds';
import { findLink } from '../find-link.ts';
import { bondChanges, bondDetails } from './bond-options.ts';
import type { LinkPlanDraft } from './link-settings.ts';
import { planWireguard } from './plan-wireguard.ts';
import { shownName } from './shown-name.ts';

export interface LinkKind {
  /** What the kernel is given when it makes the link. */
  readonly details: (spec: LinkSpecSpec, links: readonly KernelLink[]) => LinkDetails;
  /** Whether the kernel has another link of this kind than the specification names, which it cannot change. */
  readonly isOther?: (spec: LinkSpecSpec, link: KernelLink, links: readonly KernelLink[]) => boolean;
  /** What differs and can be changed. */
  readonly changes?: (
    spec: LinkSpecSpec,
    link: KernelLink,
    links: readonly KernelLink[],
  ) => OptionChanges | undefined;
  /** Adds the steps for what is in no message about links. */
  readonly plan?: (spec: LinkSpecSpec, link: KernelLink, draft: LinkPlanDraft) => void;
}

export interface OptionChanges {
  readonly details: LinkDetails;
  /** The kernel changes them only while the link is down and has no members. */
  readonly needsRest: boolean;
}

const nothing = (): LinkDetails => ({});

/** By the kernel's names. */
export const linkKinds: Readonly<Record<string, LinkKind>> = {
  vlan: {
    details: vlanDetails,
    isOther(spec, link, links) {
      const { id, protocol } = vlanDetails(spec).vlan;
      const { vlan } = link.details;
      // A link that carries it and cannot be found may have got another name.
      const parent = findLink(links, spec.parentName);
      const isBelowOther = parent !== undefined && !(link.isLinkHere && link.linkIndex === parent.index);
      return vlan?.id !== id || vlan.protocol !== protocol || isBelowOther;
    },
    plan({ parentName }, { name, linkIndex, isLinkHere }, { links, coming, waiting }) {
      if (coming.has(parentName) || findLink(links, parentName) !== undefined) return;
      const below = links.find(({ index }) => isLinkHere && index === linkIndex);
      const place = below === undefined ? '' : `; it stays on ${below.name}`;
      waiting.push(`link ${name}: there is no network device ${shownName(parentName)} to carry it${place}`);
    },
  },
  bridge: {
    details: ({ bridgeMaster }) => {
      const { spanningTree, vlanFiltering } = bridgeOf(bridgeMaster);
      // The kernel's own values are not sent: some kernels lack VLAN filtering.
      return {
        bridge: { ...(spanningTree && { spanningTree }), ...(vlanFiltering && { vlanFiltering }) },
      };
    },
    changes({ bridgeMaster }, { details }) {
      const wanted = bridgeOf(bridgeMaster);
      const bridge = {
        ...(wanted.spanningTree !== (details.bridge?.spanningTree ?? false) && {
          spanningTree: wanted.spanningTree,
        }),
        ...(wanted.vlanFiltering !== (details.bridge?.vlanFiltering ?? false) && {
          vlanFiltering: wanted.vlanFiltering,
        }),
      };
      return Object.keys(bridge).length === 0 ? undefined : { details: { bridge }, needsRest: false };
    },
  },
  bond: { details: bondDetails, changes: bondChanges },
  vrf: {
    details: vrfDetails,
    isOther(spec, { details }) {
      const { vrfTable } = vrfDetails(spec);
      // A link whose specification is wrong stays.
      return Number.isInteger(vrfTable) && details.vrfTable !== vrfTable;
    },
  },
  veth: {
    details: nothing,
    // Both ends must name each other.
    isOther({ veth, name }, link, links) {
      const peer = links.find((each) => each.name === veth.peerName);
      return (
        peer === undefined ||
        peer.kind !== 'veth' ||
        peer.name === name ||
        !(link.isLinkHere && link.linkIndex === peer.index) ||
        !(peer.isLinkHere && peer.linkIndex === link.index)
      );
    },
  },
  dummy: { details: nothing },
  // A new device has neither keys nor peers.
  wireguard: { details: nothing, plan: planWireguard },
};

function vlanDetails({ vlan }: LinkSpecSpec) {
  const protocol = vlan.vlanProtocol || '802.1q';
  return { vlan: { id: vlan.vlanID, protocol: enums.vlanProtocol.numberOf(protocol) } };
}

function vrfDetails({ vrfMaster }: LinkSpecSpec) {
  return { vrfTable: enums.routingTable.numberOf(vrfMaster.table) };
}

const bridgeOf = ({ stp, vlan }: LinkSpecSpec['bridgeMaster']) => ({
  ...{ spanningTree: stp.enabled, vlanFiltering: vlan.filteringEnabled },
});
