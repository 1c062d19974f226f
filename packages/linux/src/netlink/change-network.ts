// Changes the network of this machine. Only a node that owns its kernel may call these functions.
import type { NativeCalls } from '../native-calls.ts';
import { encodeAttribute } from './attributes.ts';
import { netlinkFlags } from './netlink-message.ts';
import { addressFamilies } from './read-network.ts';
import { requestChange } from './request-change.ts';

// <linux/rtnetlink.h>
const newLink = 16;
const newAddress = 20;
const newRoute = 24;
const isUp = 1;
const addressAttributes = { address: 1, local: 2 } as const;
const routeAttributes = { interface: 4, gateway: 5 } as const;
const mainTable = 254;
const bootProtocol = 3;
const unicast = 1;
/** What is there already is no error. */
const allowed = 'EEXIST';

/**
 * Sets a network device up.
 *
 * @throws Fault `unavailable` when the kernel refuses
 */
export function setLinkUp(calls: NativeCalls, linkIndex: number): void {
  const header = Buffer.alloc(16);
  header.writeInt32LE(linkIndex, 4);
  header.writeUInt32LE(isUp, 8);
  header.writeUInt32LE(isUp, 12);
  requestChange(calls, { type: newLink, payload: header, allowed });
}

/**
 * Adds an IPv4 address to a network device. An address that it already has is no error.
 *
 * @param address 4 bytes
 * @throws Fault as `setLinkUp`
 */
export function addAddress(
  calls: NativeCalls,
  linkIndex: number,
  { address, prefixLength }: { readonly address: Uint8Array; readonly prefixLength: number },
): void {
  const header = Buffer.from([addressFamilies.inet4, prefixLength, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32LE(linkIndex, 4);
  const attributes = [addressAttributes.local, addressAttributes.address].map((type) =>
    encodeAttribute(type, address),
  );
  const payload = Buffer.concat([header, ...attributes]);
  requestChange(calls, { type: newAddress, flags: netlinkFlags.create, payload, allowed });
}

/**
 * Adds the IPv4 route to all other networks.
 *
 * @param gateway 4 bytes
 * @throws Fault as `setLinkUp`
 */
export function addDefaultRoute(calls: NativeCalls, linkIndex: number, gateway: Uint8Array): void {
  const header = Buffer.from([
    addressFamilies.inet4,
    0,
    0,
    0,
    mainTable,
    bootProtocol,
    0,
    unicast,
    0,
    0,
    0,
    0,
  ]);
  const device = Buffer.alloc(4);
  device.writeUInt32LE(linkIndex);
  const attributes = [
    encodeAttribute(routeAttributes.gateway, gateway),
    encodeAttribute(routeAttributes.interface, device),
  ];
  const payload = Buffer.concat([header, ...attributes]);
  requestChange(calls, { type: newRoute, flags: netlinkFlags.create, payload, allowed });
}
