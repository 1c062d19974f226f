// Changes the network of this machine. Only a node that owns its kernel may call these functions.
import { getSystemErrorName } from 'node:util';
import { Fault } from '@nodewright/fault';
import type { NativeCalls } from '../native-calls.ts';
import { encodeAttribute } from './attributes.ts';
import { encodeMessage, errorNumberOf, netlinkFlags, netlinkTypes } from './netlink-message.ts';
import { openNetlinkSocket } from './netlink-socket.ts';
import { addressFamilies } from './read-network.ts';

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
  request(calls, newLink, header, 0);
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
  request(calls, newAddress, Buffer.concat([header, ...attributes]), netlinkFlags.create);
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
  request(calls, newRoute, Buffer.concat([header, ...attributes]), netlinkFlags.create);
}

function request(calls: NativeCalls, type: number, payload: Uint8Array, moreFlags: number): void {
  using socket = openNetlinkSocket(calls, 0);
  const flags = netlinkFlags.request | netlinkFlags.acknowledge | moreFlags;
  socket.send(encodeMessage({ type, flags, sequence: 1, payload }));
  const received = socket.receive();
  const answer = received?.kind === 'messages' ? received.messages[0] : undefined;
  if (answer?.type !== netlinkTypes.error)
    throw new Fault('unavailable', 'netlink: the kernel does not answer');
  const errno = errorNumberOf(answer);
  if (errno !== 0 && getSystemErrorName(-errno) !== 'EEXIST')
    throw new Fault('unavailable', `netlink: the kernel answers with ${getSystemErrorName(-errno)}`);
}
