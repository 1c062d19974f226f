import { Fault } from '@nodewright/fault';
import {
  type Attributes,
  attributeIp,
  attributeNumber,
  attributesOf,
  ipOf,
  nestedAttributes,
} from './attributes.ts';
import { aligned, requireBytes, viewOf } from './netlink-message.ts';

/** One of several next hops of a route. */
export interface KernelNextHop {
  readonly gateway: string;
  readonly linkIndex: number;
  /** 1 to 256. */
  readonly weight: number;
}

/** A route. Numbers are those of <linux/rtnetlink.h>. */
export interface KernelRoute {
  /** 2 (IPv4) or 10 (IPv6). */
  readonly family: number;
  /** `10.0.0.0/24`; empty: the default route. */
  readonly destination: string;
  /** The source address for packets of this machine; empty: the kernel chooses. */
  readonly source: string;
  readonly gateway: string;
  /** 0: no output interface. */
  readonly linkIndex: number;
  readonly table: number;
  readonly priority: number;
  readonly scope: number;
  readonly type: number;
  readonly flags: number;
  readonly protocol: number;
  /** 0: that of the link. */
  readonly mtu: number;
  /** Empty for a route with one next hop. */
  readonly nextHops: readonly KernelNextHop[];
  /** It is only for packets with a type of service, or from a network (IPv6), and stands beside one for all packets. */
  readonly isSelective: boolean;
}

const headerBytes = 12;
const hopHeaderBytes = 8;
export const routeAttributes = {
  ...{ destination: 1, link: 4, gateway: 5, priority: 6, source: 7, metrics: 8, multipath: 9 },
  ...{ table: 15, via: 18 },
} as const;
export const routeMetricMtu = 2;
const viaHeaderBytes = 2;

/**
 * Decodes the payload of a message about a route.
 *
 * @throws Fault `data-loss` when it is truncated.
 */
export function decodeRoute(payload: Uint8Array): KernelRoute {
  requireBytes(payload, headerBytes, 'a route');
  const view = viewOf(payload);
  const attributes = attributesOf(payload.subarray(headerBytes));
  const destination = attributeIp(attributes, routeAttributes.destination);
  return {
    family: view.getUint8(0),
    destination: destination === '' ? '' : `${destination}/${view.getUint8(1)}`,
    source: attributeIp(attributes, routeAttributes.source),
    gateway: gatewayOf(attributes),
    linkIndex: attributeNumber(attributes, routeAttributes.link) ?? 0,
    table: attributeNumber(attributes, routeAttributes.table) ?? view.getUint8(4),
    priority: attributeNumber(attributes, routeAttributes.priority) ?? 0,
    scope: view.getUint8(6),
    type: view.getUint8(7),
    flags: view.getUint32(8, true),
    protocol: view.getUint8(5),
    mtu: attributeNumber(nestedAttributes(attributes, routeAttributes.metrics), routeMetricMtu) ?? 0,
    nextHops: nextHopsOf(attributes.get(routeAttributes.multipath) ?? new Uint8Array()),
    isSelective: view.getUint8(2) !== 0 || view.getUint8(3) !== 0,
  };
}

/** An IPv4 route may have an IPv6 gateway; then its family precedes the address. */
function gatewayOf(attributes: Attributes): string {
  const via = attributes.get(routeAttributes.via);
  return attributeIp(attributes, routeAttributes.gateway) || ipOf(via?.subarray(viaHeaderBytes));
}

function nextHopsOf(bytes: Uint8Array): KernelNextHop[] {
  const view = viewOf(bytes);
  const hops: KernelNextHop[] = [];
  for (let at = 0; at < bytes.length; ) {
    requireBytes(bytes.subarray(at), hopHeaderBytes, 'a next hop');
    const length = view.getUint16(at, true);
    if (length < hopHeaderBytes || length > bytes.length - at) {
      throw new Fault(
        'data-loss',
        `netlink: a next hop of ${length} bytes where ${bytes.length - at} remain`,
      );
    }
    hops.push({
      gateway: gatewayOf(attributesOf(bytes.subarray(at + hopHeaderBytes, at + length))),
      linkIndex: view.getInt32(at + 4, true),
      weight: view.getUint8(at + 3) + 1,
    });
    at += aligned(length);
  }
  return hops;
}
