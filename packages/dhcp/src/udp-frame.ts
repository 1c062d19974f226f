// Ethernet frames with one UDP datagram of DHCP: a client has no address yet, so the kernel does not send and receive for it. Source: RFC
// 791, section 3.1; RFC 768.
import { hardwareText, longestMessageBytes } from './dhcp-message.ts';
import { bytesOfAddress, textOfAddress } from './inet4-address.ts';

export const dhcpPorts = { server: 67, client: 68 } as const;
export const etherTypes = { inet4: 0x0800, arp: 0x0806 } as const;
export const everyHardware = 'ff:ff:ff:ff:ff:ff';
const broadcast = '255.255.255.255';

/**
 * A program of classic BPF, as in <linux/filter.h>, that passes frames with a UDP datagram to the port of clients, and no later
 * fragment of one.
 */
export const clientPortFilter = [
  // The type of the frame is IPv4, its protocol is UDP, and its offset is 0.
  { op: 0x28, jt: 0, jf: 0, k: 12 },
  { op: 0x15, jt: 0, jf: 8, k: etherTypes.inet4 },
  { op: 0x30, jt: 0, jf: 0, k: 23 },
  { op: 0x15, jt: 0, jf: 6, k: 17 },
  { op: 0x28, jt: 0, jf: 0, k: 20 },
  { op: 0x45, jt: 4, jf: 0, k: 0x1fff },
  // The port behind a header of any length.
  { op: 0xb1, jt: 0, jf: 0, k: 14 },
  { op: 0x48, jt: 0, jf: 0, k: 16 },
  { op: 0x15, jt: 0, jf: 1, k: dhcpPorts.client },
  { op: 0x06, jt: 0, jf: 0, k: 0x40000 },
  { op: 0x06, jt: 0, jf: 0, k: 0 },
] as const;

const ethernetBytes = 14;
const inet4Bytes = 20;
const udpBytes = 8;
const udpProtocol = 17;
const timeToLive = 64;
/** More fragments, and the offset of this one. */
const fragmentBits = 0x3fff;
/** A longer frame is not read. */
export const longestFrameBytes = ethernetBytes + 60 + udpBytes + longestMessageBytes;

/** The bytes of `02:00:00:00:00:01`. */
export const hardwareBytes = (text: string): Buffer => Buffer.from(text.replaceAll(':', ''), 'hex');

/** The header of a frame. */
export const ethernetHeader = (to: string, from: string, type: number): Buffer =>
  Buffer.concat([hardwareBytes(to), hardwareBytes(from), Buffer.from([type >> 8, type & 0xff])]);

/** The internet checksum of these bytes. Source: RFC 1071. */
export function internetChecksum(bytes: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 2) sum += ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

export interface UdpFrame {
  /** Ethernet address of the sender. */
  readonly hardware: string;
  /** IPv4 address of the sender. */
  readonly source: string;
  readonly sourcePort: number;
  readonly destinationPort: number;
  readonly payload: Uint8Array;
}

/** A broadcast frame. */
export function encodeBroadcast({
  hardware,
  source,
  sourcePort,
  destinationPort,
  payload,
}: UdpFrame): Buffer {
  const udp = Buffer.alloc(udpBytes);
  udp.writeUInt16BE(sourcePort, 0);
  udp.writeUInt16BE(destinationPort, 2);
  udp.writeUInt16BE(udpBytes + payload.length, 4);
  const ends = Buffer.concat([bytesOfAddress(source), bytesOfAddress(broadcast)]);
  const pseudo = Buffer.concat([ends, Buffer.from([0, udpProtocol]), udp.subarray(4, 6)]);
  // In UDP the value 0 says that the sender has calculated no checksum; a checksum that is 0 is sent as 0xffff.
  udp.writeUInt16BE(internetChecksum(Buffer.concat([pseudo, udp, payload])) || 0xffff, 6);
  const inet4 = Buffer.alloc(inet4Bytes - 8);
  inet4[0] = 0x45;
  inet4.writeUInt16BE(inet4Bytes + udpBytes + payload.length, 2);
  inet4[8] = timeToLive;
  inet4[9] = udpProtocol;
  inet4.writeUInt16BE(internetChecksum(Buffer.concat([inet4, ends])), 10);
  return Buffer.concat([
    ethernetHeader(everyHardware, hardware, etherTypes.inet4),
    ...[inet4, ends, udp, payload],
  ]);
}

/**
 * The datagram of a frame; undefined for everything else, and for fragments. The checksum of UDP is not checked: the kernel shows
 * datagrams of this host and of virtual machines before it is computed. The client compares the transaction, which has 32 random bits.
 */
export function decodeUdpFrame(frame: Uint8Array): UdpFrame | undefined {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  if (bytes.length < ethernetBytes + inet4Bytes + udpBytes || bytes.readUInt16BE(12) !== etherTypes.inet4)
    return undefined;
  const inet4 = bytes.subarray(ethernetBytes);
  const headerBytes = (inet4.readUInt8(0) & 0xf) * 4;
  const totalBytes = inet4.readUInt16BE(2);
  if (inet4.readUInt8(0) >> 4 !== 4 || headerBytes < inet4Bytes || headerBytes + udpBytes > totalBytes)
    return undefined;
  if (totalBytes > inet4.length || inet4.readUInt8(9) !== udpProtocol) return undefined;
  if ((inet4.readUInt16BE(6) & fragmentBits) !== 0) return undefined;
  if (internetChecksum(inet4.subarray(0, headerBytes)) !== 0) return undefined;
  const udp = inet4.subarray(headerBytes, totalBytes);
  const length = udp.readUInt16BE(4);
  if (length < udpBytes || length > udp.length) return undefined;
  return {
    hardware: hardwareText(bytes.subarray(6, 12)),
    source: textOfAddress(inet4.subarray(12, 16)),
    sourcePort: udp.readUInt16BE(0),
    destinationPort: udp.readUInt16BE(2),
    payload: udp.subarray(udpBytes, length),
  };
}
