// Addresses that a node has for a limited time. Only a node that owns its network may call these functions.
import type { NativeCalls } from '../native-calls.ts';
import { encodeAttribute } from './attributes.ts';
import { netlinkFlags } from './netlink-message.ts';
import { addressFamilies } from './read-network.ts';
import { requestChange } from './request-change.ts';

// <linux/rtnetlink.h>, <linux/if_addr.h>
const newAddress = 20;
const deleteAddress = 21;
const attribute = { address: 1, local: 2, cacheInfo: 6 } as const;
/** Usable at once: the kernel does not search for a duplicate of an IPv6 address first. */
const noDuplicateDetection = 0x02;

/**
 * Gives a network device a single address (prefix length 32 or 128) for a limited time: the kernel removes it by itself at the end
 * of its lifetime, even when this process does not run any more. An address that is there already gets the new lifetime.
 * An IPv6 address is deprecated from the start, so that no connection of this node has it as its source. The kernel
 * compares lifetimes in seconds with a timer that may be a second late. Source: ip-address(8), valid_lft, preferred_lft.
 *
 * @param address 4 or 16 bytes
 * @param lifetimeSeconds at least 1
 * @throws Fault `unavailable` when the kernel refuses
 */
export function lendAddress(
  calls: NativeCalls,
  linkIndex: number,
  { address, lifetimeSeconds }: { readonly address: Uint8Array; readonly lifetimeSeconds: number },
): void {
  const cacheInfo = Buffer.alloc(16);
  const isInet6 = address.length === 16;
  cacheInfo.writeUInt32LE(isInet6 ? 0 : lifetimeSeconds, 0);
  cacheInfo.writeUInt32LE(lifetimeSeconds, 4);
  const payload = Buffer.concat([
    bodyOf(linkIndex, address, isInet6 ? noDuplicateDetection : 0),
    encodeAttribute(attribute.cacheInfo, cacheInfo),
  ]);
  const flags = netlinkFlags.create | netlinkFlags.replace;
  requestChange(calls, { type: newAddress, flags, payload, allowed: '' });
}

/**
 * Removes such an address. One that is not there is no error.
 *
 * @throws Fault `unavailable` when the kernel refuses
 */
export function removeAddress(calls: NativeCalls, linkIndex: number, address: Uint8Array): void {
  const payload = bodyOf(linkIndex, address, 0);
  requestChange(calls, { type: deleteAddress, payload, allowed: 'EADDRNOTAVAIL' });
}

function bodyOf(linkIndex: number, address: Uint8Array, flags: number): Buffer {
  const family = address.length === 16 ? addressFamilies.inet6 : addressFamilies.inet4;
  const header = Buffer.from([family, address.length * 8, flags, 0, 0, 0, 0, 0]);
  header.writeUInt32LE(linkIndex, 4);
  return Buffer.concat([
    header,
    encodeAttribute(attribute.local, address),
    encodeAttribute(attribute.address, address),
  ]);
}
