import {
  type Attributes,
  attributeList,
  attributeMac,
  attributeNumber,
  attributesOf,
  attributeText,
  nestedAttributes,
} from './attributes.ts';
import { type LinkDetails, linkDetailsOf } from './link-details.ts';
import { requireBytes, viewOf } from './netlink-message.ts';
import type { KernelWireguard } from './wireguard-message.ts';

/** A network device. Numbers are those of <linux/if.h> and <linux/if_arp.h>. */
export interface KernelLink {
  readonly index: number;
  readonly name: string;
  readonly alias: string;
  readonly altNames: readonly string[];
  /** `ARPHRD_*`. */
  readonly hardwareType: number;
  /** `IFF_*`. */
  readonly flags: number;
  readonly hardwareAddress: string;
  /**
   * The permanent address of the device; empty if it has none. A member of a bond, which has the address of the bond, has its own one here
   * in any case.
   */
  readonly permanentAddress: string;
  readonly broadcastAddress: string;
  readonly mtu: number;
  readonly queueDiscipline: string;
  /** The related device (the parent of a VLAN, the peer of a veth pair); 0 if there is none. */
  readonly linkIndex: number;
  /** Whether the related device is in this network namespace; otherwise its number has no meaning here. */
  readonly isLinkHere: boolean;
  /** The bond, bridge or VRF that it belongs to; 0 if there is none. */
  readonly masterIndex: number;
  /** `IF_OPER_*`. */
  readonly operationalState: number;
  readonly hasCarrier: boolean;
  /** Kind of a virtual link, such as `vlan`; empty for hardware. */
  readonly kind: string;
  /** Kind of its role below the master; empty without a master. */
  readonly slaveKind: string;
  readonly details: LinkDetails;
  /** The settings of a WireGuard device, if they were read: they are in no message about links. */
  readonly wireguard?: KernelWireguard;
}

const headerBytes = 16;
const attribute = {
  ...{ address: 1, broadcast: 2, name: 3, mtu: 4, link: 5, queueDiscipline: 6, master: 10, operState: 16 },
  ...{
    info: 18,
    alias: 20,
    carrier: 33,
    linkNamespace: 37,
    properties: 52,
    altName: 53,
    permanentAddress: 54,
  },
} as const;
const info = { kind: 1, data: 2, slaveKind: 4, slaveData: 5 } as const;
/** Of a member of a bond. */
const bondMember = { permanentAddress: 4 } as const;

/**
 * Decodes the payload of a message about a link.
 *
 * @throws Fault `data-loss` when it is truncated.
 */
export function decodeLink(payload: Uint8Array): KernelLink {
  requireBytes(payload, headerBytes, 'a link');
  const view = viewOf(payload);
  const attributes = attributesOf(payload.subarray(headerBytes));
  const made = nestedAttributes(attributes, attribute.info);
  const kind = attributeText(made, info.kind);
  const slaveKind = attributeText(made, info.slaveKind);
  const properties = attributeList(attributes.get(attribute.properties) ?? new Uint8Array());
  const number = (type: number) => attributeNumber(attributes, type) ?? 0;
  return {
    index: view.getInt32(4, true),
    name: attributeText(attributes, attribute.name),
    alias: attributeText(attributes, attribute.alias),
    altNames: properties
      .filter(([type]) => type === attribute.altName)
      .map(([type, value]) => attributeText(new Map([[type, value]]), type)),
    hardwareType: view.getUint16(2, true),
    flags: view.getUint32(8, true),
    hardwareAddress: attributeMac(attributes, attribute.address),
    permanentAddress:
      attributeMac(attributes, attribute.permanentAddress) ||
      (slaveKind === 'bond' ? ownAddressOf(made) : ''),
    broadcastAddress: attributeMac(attributes, attribute.broadcast),
    mtu: number(attribute.mtu),
    queueDiscipline: attributeText(attributes, attribute.queueDiscipline),
    linkIndex: number(attribute.link),
    isLinkHere: !attributes.has(attribute.linkNamespace),
    masterIndex: number(attribute.master),
    operationalState: number(attribute.operState),
    hasCarrier: number(attribute.carrier) !== 0,
    kind,
    slaveKind,
    details: linkDetailsOf(kind, nestedAttributes(made, info.data)),
  };
}

/** The address that a member of a bond gets back when it leaves. */
function ownAddressOf(made: Attributes): string {
  return attributeMac(nestedAttributes(made, info.slaveData), bondMember.permanentAddress);
}
