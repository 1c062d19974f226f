// Routes of this machine. Only a node that owns its network may call these functions.
import { ipAddressBytes } from '../ip-address-text.ts';
import type { NativeCalls } from '../native-calls.ts';
import { encodeAttribute } from './attributes.ts';
import { netlinkFlags } from './netlink-message.ts';
import { requestChange } from './request-change.ts';
import { type KernelNextHop, type KernelRoute, routeAttributes, routeMetricMtu } from './route-message.ts';

// <linux/rtnetlink.h>
const newRoute = 24;
const deleteRoute = 25;
/** The header has one byte for the table; the attribute has the others. */
const unspecifiedTable = 0;
const maxHeaderTable = 255;

/**
 * Adds a route. Its flags are not sent, because they describe what the kernel does with it.
 *
 * @throws Fault `unavailable` when the kernel refuses: with `EEXIST` when there is a route to the same destination with the same
 *   metric in the table, through whichever gateway
 */
export function addRoute(calls: NativeCalls, route: KernelRoute): void {
  const flags = netlinkFlags.create | netlinkFlags.exclusive;
  requestChange(calls, { type: newRoute, flags, payload: encodeRoute(route), allowed: '' });
}

/**
 * Removes the route that equals this one. One that is not there is no error.
 *
 * @throws Fault as `addRoute()`
 */
export function removeRoute(calls: NativeCalls, route: KernelRoute): void {
  requestChange(calls, { type: deleteRoute, payload: encodeRoute(route), allowed: 'ESRCH' });
}

/** The payload of a message about a route, which `decodeRoute()` reads. */
export function encodeRoute(route: KernelRoute): Buffer {
  const [network, length = '0'] = route.destination.split('/');
  const table = route.table > maxHeaderTable ? unspecifiedTable : route.table;
  const header = Buffer.alloc(12);
  header.set([route.family, Number(length), 0, 0, table, route.protocol, route.scope, route.type]);
  const {
    destination,
    link,
    gateway,
    priority,
    source,
    metrics,
    multipath,
    table: ofTable,
  } = routeAttributes;
  return Buffer.concat([
    header,
    ...(network ? [encodeAttribute(destination, ipAddressBytes(network))] : []),
    ...(route.linkIndex === 0 ? [] : [encodeAttribute(link, word(route.linkIndex))]),
    ...(route.gateway === '' ? [] : [encodeGateway(route.family, route.gateway, gateway)]),
    ...(route.priority === 0 ? [] : [encodeAttribute(priority, word(route.priority))]),
    ...(route.source === '' ? [] : [encodeAttribute(source, ipAddressBytes(route.source))]),
    ...(route.mtu === 0 ? [] : [encodeAttribute(metrics, encodeAttribute(routeMetricMtu, word(route.mtu)))]),
    ...(route.nextHops.length === 0
      ? []
      : [encodeAttribute(multipath, Buffer.concat(route.nextHops.map((hop) => nextHop(route.family, hop))))]),
    encodeAttribute(ofTable, word(route.table)),
  ]);
}

/** A gateway of the other address family has the family in front. */
function encodeGateway(family: number, text: string, type: number): Buffer {
  const bytes = ipAddressBytes(text);
  const own = bytes.length === 16 ? 10 : 2;
  if (own === family) return encodeAttribute(type, bytes);
  return encodeAttribute(routeAttributes.via, Buffer.concat([Buffer.from([own, 0]), bytes]));
}

function nextHop(family: number, { gateway, linkIndex, weight }: KernelNextHop): Buffer {
  const attribute =
    gateway === '' ? Buffer.alloc(0) : encodeGateway(family, gateway, routeAttributes.gateway);
  const header = Buffer.alloc(8);
  header.writeUInt16LE(header.length + attribute.length, 0);
  header.writeUInt8(weight - 1, 3);
  header.writeInt32LE(linkIndex, 4);
  return Buffer.concat([header, attribute]);
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
