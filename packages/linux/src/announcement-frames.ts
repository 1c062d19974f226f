// Ethernet frames that tell all hosts of a network which device has an address now. Hosts that know it replace the hardware address of
// their entry, so traffic moves at once instead of after the entry has expired.

export const ethernetTypes = { arp: 0x0806, inet6: 0x86dd } as const;
const everyHost = Buffer.from('ffffffffffff', 'hex');
/** The Ethernet address of the IPv6 group of all nodes. Source: RFC 2464, section 7. */
const allNodesHardware = Buffer.from('333300000001', 'hex');
/** `ff02::1` */
const allNodes = Buffer.from('ff020000000000000000000000000001', 'hex');

/**
 * A gratuitous ARP in the form of a request: a question for the address, asked by the address itself. Source: RFC 5227, section 2.3;
 * Talos v1.14: Layer2VIPConfig.
 *
 * @param hardware 6 bytes
 * @param address 4 bytes
 */
export function gratuitousArp(hardware: Uint8Array, address: Uint8Array): Buffer {
  // Ethernet, IPv4, lengths of their addresses, request
  const header = Buffer.from('0001080006040001', 'hex');
  const unknown = Buffer.alloc(6);
  return Buffer.concat([
    ethernetHeader(everyHost, hardware, ethernetTypes.arp),
    ...[header, hardware, address, unknown, address],
  ]);
}

// Source: RFC 4861, section 4.4.
const icmpProtocol = 58;
const neighbourAdvertisementType = 136;
const overrideFlag = 0x20;
const targetHardwareOption = 2;
/** Receivers drop messages with another one, because a router has forwarded them. */
const hopLimit = 255;

/**
 * An unsolicited neighbour advertisement to all nodes of the link, which overrides what they know. Source: RFC 4861, sections 4.4
 * and 7.2.6.
 *
 * @param hardware 6 bytes
 * @param address 16 bytes
 */
export function neighbourAdvertisement(hardware: Uint8Array, address: Uint8Array): Buffer {
  const message = Buffer.concat([
    Buffer.from([neighbourAdvertisementType, 0, 0, 0, overrideFlag, 0, 0, 0]),
    address,
    Buffer.from([targetHardwareOption, 1]),
    hardware,
  ]);
  message.writeUInt16BE(checksum(address, message), 2);
  const header = Buffer.from([0x60, 0, 0, 0, 0, message.length, icmpProtocol, hopLimit]);
  return Buffer.concat([
    ethernetHeader(allNodesHardware, hardware, ethernetTypes.inet6),
    ...[header, address, allNodes, message],
  ]);
}

const ethernetHeader = (to: Uint8Array, from: Uint8Array, type: number) =>
  Buffer.concat([to, from, Buffer.from([type >> 8, type & 0xff])]);

/** Of the pseudo header and the message, whose own checksum is 0. Source: RFC 8200, section 8.1. */
function checksum(source: Uint8Array, message: Buffer): number {
  const pseudo = Buffer.from([0, 0, 0, message.length, 0, 0, 0, icmpProtocol]);
  const all = Buffer.concat([source, allNodes, pseudo, message]);
  let sum = 0;
  for (let at = 0; at < all.length; at += 2) sum += all.readUInt16BE(at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return ~sum & 0xffff;
}
