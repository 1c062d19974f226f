import { attributeIp, attributeNumber, attributesOf, attributeText } from './attributes.ts';
import { requireBytes, viewOf } from './netlink-message.ts';

/** A rule that selects a routing table. Numbers are those of <linux/fib_rules.h>. */
export interface KernelRule {
  /** 2 (IPv4) or 10 (IPv6). */
  readonly family: number;
  /** `10.0.0.0/24`; empty: any source. */
  readonly source: string;
  readonly destination: string;
  readonly table: number;
  readonly priority: number;
  readonly action: number;
  readonly inputLink: string;
  readonly outputLink: string;
  readonly mark: number;
  readonly markMask: number;
  /** `RTPROT_*` of <linux/rtnetlink.h>: who made it. */
  readonly protocol: number;
  /** It selects packets by more than is named here, such as a port, or leaves out routes of its table. */
  readonly isSelective: boolean;
}

const headerBytes = 12;
export const ruleAttributes = {
  ...{ destination: 1, source: 2, inputLink: 3, priority: 6, mark: 10, table: 15, markMask: 16 },
  ...{ outputLink: 17, protocol: 21 },
} as const;
/** A tunnel, a VRF, users, a protocol, ports and what newer kernels have. */
const selectors = { tunnel: 12, vrf: 19, users: 20, firstNewer: 22 } as const;
/** Routes of a group of links, and those to a network with few bits, that a rule leaves out; `noLimit`: none. */
const suppressors = { group: 13, prefixLength: 14 } as const;
const noLimit = 0xffff_ffff;
const isInverted = 2;

/**
 * Decodes the payload of a message about a rule.
 *
 * @throws Fault `data-loss` when it is truncated.
 */
export function decodeRule(payload: Uint8Array): KernelRule {
  requireBytes(payload, headerBytes, 'a rule');
  const view = viewOf(payload);
  const attributes = attributesOf(payload.subarray(headerBytes));
  const number = (type: number) => attributeNumber(attributes, type) ?? 0;
  const network = (type: number, length: number) => {
    const address = attributeIp(attributes, type);
    return address === '' ? '' : `${address}/${length}`;
  };
  return {
    family: view.getUint8(0),
    source: network(ruleAttributes.source, view.getUint8(2)),
    destination: network(ruleAttributes.destination, view.getUint8(1)),
    table: attributeNumber(attributes, ruleAttributes.table) ?? view.getUint8(4),
    priority: number(ruleAttributes.priority),
    action: view.getUint8(7),
    inputLink: attributeText(attributes, ruleAttributes.inputLink),
    outputLink: attributeText(attributes, ruleAttributes.outputLink),
    mark: number(ruleAttributes.mark),
    markMask: number(ruleAttributes.markMask),
    protocol: number(ruleAttributes.protocol),
    isSelective:
      view.getUint8(3) !== 0 ||
      (view.getUint32(8, true) & isInverted) !== 0 ||
      isSet(attributes.get(selectors.tunnel)) ||
      isSet(attributes.get(selectors.vrf)) ||
      attributes.has(selectors.users) ||
      Object.values(suppressors).some((type) => (attributeNumber(attributes, type) ?? noLimit) !== noLimit) ||
      [...attributes.keys()].some((type) => type >= selectors.firstNewer),
  };
}

const isSet = (value: Uint8Array | undefined) => value?.some((byte) => byte !== 0) ?? false;
