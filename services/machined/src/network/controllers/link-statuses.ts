import type { KernelBond, KernelLink, LinkHardware, LinkState } from '@nodewright/linux';
import type { NewResource } from '@nodewright/state';
import {
  type BondMasterSpec,
  networkEnumerations as enums,
  type LinkStatusSpec,
} from '@nodewright/state/kinds';

/** An existing resource of a kind. */
export type Wanted<S> = Omit<NewResource<S>, 'namespace' | 'type'>;

/** The kernel's link together with what its driver reports. */
export interface SeenLink {
  readonly link: KernelLink;
  readonly state: LinkState;
  /** Undefined when it has none, or when it is not known yet. */
  readonly hardware: LinkHardware | undefined;
}

/** Links by name, as typed clients read them. Source: Talos v1.14: COSI resources, LinkStatuses. */
export function linkStatusesOf(seen: readonly SeenLink[]): Wanted<LinkStatusSpec>[] {
  const names = new Map(seen.map(({ link }) => [link.index, link.name]));
  return seen.map((each) => ({ id: each.link.name, spec: specOf(each, names) }));
}

function specOf({ link, state, hardware }: SeenLink, names: ReadonlyMap<number, string>): LinkStatusSpec {
  const { vlan, bridge, bond, vrfTable } = link.details;
  return {
    alias: link.alias,
    altNames: link.altNames,
    index: link.index,
    type: enums.linkType.textOf(link.hardwareType),
    linkIndex: link.linkIndex,
    flags: enums.linkFlags.flagsOf(link.flags),
    hardwareAddr: link.hardwareAddress,
    permanentAddr: link.permanentAddress,
    broadcastAddr: link.broadcastAddress,
    mtu: link.mtu,
    queueDisc: link.queueDiscipline,
    masterIndex: link.masterIndex,
    operationalState: enums.operationalState.textOf(link.operationalState),
    kind: link.kind,
    slaveKind: link.slaveKind,
    busPath: hardware?.busPath ?? '',
    pciID: hardware?.pciId ?? '',
    driver: hardware?.driver ?? '',
    driverVersion: hardware?.driverVersion ?? '',
    firmwareVersion: hardware?.firmwareVersion ?? '',
    productID: hardware?.productId ?? '',
    vendorID: hardware?.vendorId ?? '',
    product: '',
    vendor: '',
    linkState: state.hasLink ?? link.hasCarrier,
    speedMbit: state.speedMbit ?? 0,
    port: enums.port.textOf(state.port ?? otherPort),
    duplex: enums.duplex.textOf(state.duplex ?? unknownDuplex),
    vlan: {
      vlanID: vlan?.id ?? 0,
      vlanProtocol: vlan === undefined ? '' : vlanProtocolOf(vlan.protocol),
    },
    bridgeMaster: {
      stp: { enabled: bridge?.spanningTree ?? false },
      vlan: { filteringEnabled: bridge?.vlanFiltering ?? false },
    },
    bondMaster: bondMasterOf(bond, names),
    vrfMaster: { table: enums.routingTable.textOf(vrfTable ?? 0) },
    wireguard: wireguardOf(link),
    veth: { peerName: link.kind === 'veth' && link.isLinkHere ? (names.get(link.linkIndex) ?? '') : '' },
  };
}

/** What the kernel has, without the keys that are secret. */
function wireguardOf({ wireguard }: KernelLink): LinkStatusSpec['wireguard'] {
  const { publicKey = '', listenPort = 0, firewallMark = 0, peers = [] } = wireguard ?? {};
  return {
    ...{ privateKey: '', publicKey, listenPort, firewallMark },
    peers: peers.map((peer) => ({
      ...{ publicKey: peer.publicKey, presharedKey: '', endpoint: peer.endpoint },
      persistentKeepaliveInterval: peer.keepaliveSeconds * 1000,
      allowedIPs: [...peer.allowedIps],
    })),
  };
}

const otherPort = 255;
const unknownDuplex = 255;

/** The value of a closed enumeration; undefined for a number that it does not have. */
function known<T extends string>(
  type: { readonly texts: readonly T[]; numberOf(text: T): number; textOf(n: number): T },
  value: number | undefined,
): T {
  const isKnown = type.texts.some((text) => type.numberOf(text) === value);
  return type.textOf(isKnown ? (value as number) : 0);
}

const vlanProtocolOf = (protocol: number) => known(enums.vlanProtocol, protocol);

function bondMasterOf(bond: KernelBond | undefined, names: ReadonlyMap<number, string>): BondMasterSpec {
  const { primaryIndex, lacpActive } = bond ?? {};
  return {
    mode: known(enums.bondMode, bond?.mode),
    xmitHashPolicy: known(enums.bondXmitHashPolicy, bond?.xmitHashPolicy),
    lacpRate: known(enums.lacpRate, bond?.lacpRate),
    arpValidate: known(enums.arpValidate, bond?.arpValidate),
    arpAllTargets: known(enums.arpAllTargets, bond?.arpAllTargets),
    primaryIndex,
    primaryReselect: known(enums.primaryReselect, bond?.primaryReselect),
    failOverMac: known(enums.failOverMac, bond?.failOverMac),
    adSelect: known(enums.adSelect, bond?.adSelect),
    miimon: bond?.miimon ?? 0,
    updelay: bond?.upDelay ?? 0,
    downdelay: bond?.downDelay ?? 0,
    arpInterval: bond?.arpInterval ?? 0,
    resendIgmp: bond?.resendIgmp ?? 0,
    minLinks: bond?.minLinks ?? 0,
    lpInterval: bond?.lpInterval ?? 0,
    packetsPerSlave: bond?.packetsPerSlave ?? 0,
    numPeerNotif: bond?.numPeerNotif ?? 0,
    tlbLogicalLb: bond?.tlbDynamicLb ?? 0,
    allSlavesActive: bond?.allSlavesActive ?? 0,
    useCarrier: (bond?.useCarrier ?? 0) !== 0,
    adActorSysPrio: bond?.adActorSysPrio ?? 0,
    adUserPortKey: bond?.adUserPortKey ?? 0,
    peerNotifyDelay: bond?.peerNotifyDelay ?? 0,
    arpIpTargets: bond?.arpIpTargets ?? [],
    nsIp6Targets: bond?.nsIp6Targets ?? [],
    adLacpActive: lacpActive === undefined ? undefined : known(enums.adLacpActive, lacpActive),
    missedMax: bond?.missedMax ?? 0,
    primary: (primaryIndex !== undefined && names.get(primaryIndex)) || '',
  };
}
