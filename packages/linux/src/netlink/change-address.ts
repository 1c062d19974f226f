// Addresses of links. Only a node that owns its network may call these functions.
import { ipAddressBytes } from '../ip-address-text.ts';
import type { NativeCalls } from '../native-calls.ts';
import type { AddressChange } from './address-message.ts';
import { encodeAttribute } from './attributes.ts';
import { netlinkFlags } from './netlink-message.ts';
import { addressFamilies } from './read-network.ts';
import { requestChange } from './request-change.ts';

// <linux/rtnetlink.h>, <linux/if_addr.h>
const newAddress = 20;
const deleteAddress = 21;
const attribute = { address: 1, local: 2, broadcast: 4, cacheInfo: 6, flags: 8, priority: 9 } as const;
/** A longer prefix leaves no address for the broadcast. */
const longestBroadcastPrefix = 30;
/** Usable at once: the kernel does not search for a duplicate of an IPv6 address first. */
const noDuplicateDetection = 0x02;

/**
 * Adds an address for ever. One that the device already has, with the same prefix length, is no error and is not changed.
 *
 * @throws Fault `unavailable` when the kernel refuses
 */
export function addAddress(calls: NativeCalls, change: AddressChange): void {
  const flags = netlinkFlags.create | netlinkFlags.exclusive;
  requestChange(calls, { type: newAddress, flags, payload: encodeAddress(change), allowed: 'EEXIST' });
}

/**
 * Gives an address that is there this priority, and no end of its lifetime. Its connections and routes stay.
 *
 * @throws Fault `unavailable` when the kernel refuses
 */
export function replaceAddress(calls: NativeCalls, change: AddressChange): void {
  const flags = netlinkFlags.create | netlinkFlags.replace;
  requestChange(calls, { type: newAddress, flags, payload: encodeAddress(change), allowed: '' });
}

/**
 * Removes an address. One that is not there is no error.
 *
 * @throws Fault `unavailable` when the kernel refuses
 */
export function removeAddress(
  calls: NativeCalls,
  { linkIndex, address, prefixLength }: Pick<AddressChange, 'linkIndex' | 'address' | 'prefixLength'>,
): void {
  const payload = bodyOf({ linkIndex, address: ipAddressBytes(address), prefixLength });
  requestChange(calls, { type: deleteAddress, payload, allowed: 'EADDRNOTAVAIL' });
}

/** The payload of a message about an address, which `decodeAddress()` reads. */
export function encodeAddress({ address, prefixLength, ...change }: AddressChange): Buffer {
  const bytes = ipAddressBytes(address);
  const hasBroadcast = bytes.length === 4 && prefixLength <= longestBroadcastPrefix;
  return Buffer.concat([
    bodyOf({ ...change, address: bytes, prefixLength }),
    encodeAttribute(attribute.flags, word(change.flags)),
    ...(hasBroadcast ? [encodeAttribute(attribute.broadcast, broadcastOf(bytes, prefixLength))] : []),
    ...(change.priority === 0 ? [] : [encodeAttribute(attribute.priority, word(change.priority))]),
  ]);
}

function broadcastOf(address: Uint8Array, prefixLength: number): Buffer {
  const bytes = Buffer.from(address);
  bytes.writeUInt32BE((bytes.readUInt32BE() | (0xffff_ffff >>> prefixLength)) >>> 0);
  return bytes;
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

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
    bodyOf({ linkIndex, address, flags: isInet6 ? noDuplicateDetection : 0 }),
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
export function returnAddress(calls: NativeCalls, linkIndex: number, address: Uint8Array): void {
  requestChange(calls, {
    ...{ type: deleteAddress, payload: bodyOf({ linkIndex, address }), allowed: 'EADDRNOTAVAIL' },
  });
}

interface AddressBody {
  readonly linkIndex: number;
  readonly address: Uint8Array;
  readonly prefixLength?: number;
  readonly flags?: number;
  readonly scope?: number;
}

/** The header, whose flags are the first eight, and the address as that of both ends. */
function bodyOf({ linkIndex, address, prefixLength, flags = 0, scope = 0 }: AddressBody): Buffer {
  const family = address.length === 16 ? addressFamilies.inet6 : addressFamilies.inet4;
  const length = prefixLength ?? address.length * 8;
  const header = Buffer.from([family, length, flags & 0xff, scope, 0, 0, 0, 0]);
  header.writeUInt32LE(linkIndex, 4);
  return Buffer.concat([
    header,
    encodeAttribute(attribute.local, address),
    encodeAttribute(attribute.address, address),
  ]);
}
