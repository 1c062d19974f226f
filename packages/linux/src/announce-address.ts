import { ethernetTypes, gratuitousArp, neighbourAdvertisement } from './announcement-frames.ts';
import { linkAddress, packetFamily } from './link-address.ts';
import type { NativeCalls } from './native-calls.ts';
import type { KernelLink } from './netlink/link-message.ts';

// <sys/socket.h>, <linux/if_arp.h>
const rawSocket = 3;
const ethernet = 1;

/**
 * Tells all hosts of the network of a link that this link has the address now: by a gratuitous ARP, or by an unsolicited neighbour
 * advertisement. Does nothing on a link that is not Ethernet. Needs CAP_NET_RAW; only a node that owns its network may call it.
 *
 * @param address 4 or 16 bytes
 * @throws SystemCallError when the frame cannot be sent, `ENETDOWN` while the link is down
 */
export function announceAddress(
  calls: NativeCalls,
  link: Pick<KernelLink, 'index' | 'hardwareType' | 'hardwareAddress'>,
  address: Uint8Array,
): void {
  const hardware = Buffer.from(link.hardwareAddress.replaceAll(':', ''), 'hex');
  if (link.hardwareType !== ethernet || hardware.length !== 6) return;
  const isInet6 = address.length === 16;
  const frame = isInet6 ? neighbourAdvertisement(hardware, address) : gratuitousArp(hardware, address);
  // Without a protocol the socket receives nothing.
  const socket = calls.socket(packetFamily, rawSocket, 0);
  try {
    calls.sendTo(socket, frame, linkAddress(link.index, isInet6 ? ethernetTypes.inet6 : ethernetTypes.arp));
  } finally {
    calls.close(socket);
  }
}
