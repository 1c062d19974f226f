import type { NativeCalls } from './native-calls.ts';
import type { KernelLink } from './netlink/link-message.ts';

// <sys/socket.h>, <netinet/in.h>, <linux/in6.h>
const inet6Family = 10;
const rawSocket = 3;
const icmpv6 = 58;
const ipv6Level = 41;
const multicastHops = 18;

/** Routers answer nothing that may have come from another network. Source: RFC 4861, section 6.1.1. */
const hopLimit = 255;
const solicitation = 133;
const sourceLinkAddress = 1;

/**
 * Asks all routers of a link to advertise themselves. The kernel does so itself when a link comes up that accepts advertisements, and
 * not when they become accepted later. Needs CAP_NET_RAW; only a node that owns its network may call it.
 *
 * @throws SystemCallError when the kernel does not send it, `EADDRNOTAVAIL` while the link has no usable address
 */
export function solicitRouters(
  calls: NativeCalls,
  { index, hardwareAddress }: Pick<KernelLink, 'index' | 'hardwareAddress'>,
): void {
  const hardware = Buffer.from(hardwareAddress.replaceAll(':', ''), 'hex');
  // The kernel computes the checksum.
  const header = Buffer.alloc(8);
  header[0] = solicitation;
  const option =
    hardware.length === 6 ? Buffer.concat([Buffer.from([sourceLinkAddress, 1]), hardware]) : Buffer.alloc(0);
  const socket = calls.socket(inet6Family, rawSocket, icmpv6);
  try {
    const hops = Buffer.alloc(4);
    hops.writeInt32LE(hopLimit);
    calls.setSocketOption(socket, ipv6Level, multicastHops, hops);
    calls.sendTo(socket, Buffer.concat([header, option]), allRouters(index));
  } finally {
    calls.close(socket);
  }
}

/** The `struct sockaddr_in6` of ff02::2 on a link. */
function allRouters(linkIndex: number): Uint8Array {
  const address = Buffer.alloc(28);
  address.writeUInt16LE(inet6Family, 0);
  address.set([0xff, 0x02], 8);
  address[23] = 2;
  address.writeUInt32LE(linkIndex, 24);
  return address;
}
