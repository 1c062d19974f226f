import { attributeIp, attributeNumber, attributesOf } from './attributes.ts';
import { requireBytes, viewOf } from './netlink-message.ts';

/** An address of a network device. */
export interface KernelAddress {
  readonly linkIndex: number;
  /** 2 (IPv4) or 10 (IPv6). */
  readonly family: number;
  readonly prefixLength: number;
  /** `RT_SCOPE_*`. */
  readonly scope: number;
  /** `IFA_F_*`. */
  readonly flags: number;
  /** On a point-to-point link: the address of the other end. */
  readonly address: string;
  /** The device's own address; empty when it equals `address`. */
  readonly local: string;
  readonly broadcast: string;
  readonly anycast: string;
  readonly multicast: string;
  /** The metric of the route for this address; 0 is the default. */
  readonly priority: number;
}

/** What decides how the kernel stores an address; `address` is also the local one. */
export type AddressChange = Pick<
  KernelAddress,
  'linkIndex' | 'family' | 'prefixLength' | 'address' | 'scope' | 'flags' | 'priority'
>;

const headerBytes = 8;
const attribute = {
  address: 1,
  local: 2,
  broadcast: 4,
  anycast: 5,
  multicast: 7,
  flags: 8,
  priority: 9,
} as const;

/**
 * Decodes the payload of a message about an address.
 *
 * @throws Fault `data-loss` when it is truncated.
 */
export function decodeAddress(payload: Uint8Array): KernelAddress {
  requireBytes(payload, headerBytes, 'an address');
  const view = viewOf(payload);
  const attributes = attributesOf(payload.subarray(headerBytes));
  const ip = (type: number) => attributeIp(attributes, type);
  return {
    linkIndex: view.getUint32(4, true),
    family: view.getUint8(0),
    prefixLength: view.getUint8(1),
    scope: view.getUint8(3),
    // The header has only the first eight flags.
    flags: attributeNumber(attributes, attribute.flags) ?? view.getUint8(2),
    address: ip(attribute.address) || ip(attribute.local),
    local: ip(attribute.local),
    broadcast: ip(attribute.broadcast),
    anycast: ip(attribute.anycast),
    multicast: ip(attribute.multicast),
    priority: attributeNumber(attributes, attribute.priority) ?? 0,
  };
}
