/** `AF_PACKET` of <sys/socket.h>. */
export const packetFamily = 17;

/** A `struct sockaddr_ll`: a link, and the type of its Ethernet frames. As in <linux/if_packet.h>. */
export function linkAddress(linkIndex: number, etherType: number): Uint8Array {
  const address = Buffer.alloc(20);
  address.writeUInt16LE(packetFamily, 0);
  address.writeUInt16BE(etherType, 2);
  address.writeInt32LE(linkIndex, 4);
  return address;
}
