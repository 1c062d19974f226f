// The pcap file format, draft-ietf-opsawg-pcap: little-endian, times in nanoseconds.
import { Fault } from '@nodewright/fault';

/** The fields of a record header. */
export interface PcapRecord {
  readonly seconds: number;
  readonly nanoseconds: number;
  readonly data: Uint8Array;
  /** Original length of the packet. */
  readonly lengthBytes: number;
}

const magic = 0xa1b2_3c4d;
const version = { major: 2, minor: 4 } as const;
const headerBytes = 24;
const recordHeaderBytes = 16;
const defaultSnapLength = 4096;

/** `ARPHRD_*` of links with Ethernet frames, and of links whose packets begin with the IP header. */
const ethernet = 1;
const loopback = 772;
const none = 65_534;

const linkTypes: Readonly<Record<number, number>> = { [ethernet]: 1, [loopback]: 1, [none]: 101 };

/** The kernel's names of other types of links, for messages. */
const linkNames: Readonly<Record<number, string>> = {
  32: 'infiniband',
  512: 'ppp',
  519: 'rawip',
  768: 'ipip',
  769: 'tunnel6',
  776: 'sit',
  778: 'gre',
  801: 'ieee80211',
  803: 'ieee80211/radiotap',
  823: 'gre6',
};

/**
 * @throws Fault `invalid-argument` for a device whose packets have no link type in the format. Source: Talos
 * v1.14: PacketCapture.
 */
export function pcapLinkType({ hardwareType }: { readonly hardwareType: number }): number {
  const linkType = linkTypes[hardwareType];
  if (linkType !== undefined) return linkType;
  throw new Fault('invalid-argument', `unsupported link type ${linkNames[hardwareType] ?? hardwareType}`);
}

/** @param snapLength 0 means 4096. It is only a header field: no packet is truncated. */
export function pcapHeader(linkType: number, snapLength: number): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32LE(magic, 0);
  header.writeUInt16LE(version.major, 4);
  header.writeUInt16LE(version.minor, 6);
  header.writeUInt32LE(snapLength === 0 ? defaultSnapLength : snapLength, 16);
  header.writeUInt32LE(linkType, 20);
  return header;
}

/** The header before the bytes of a packet. */
export function pcapRecordHeader({ seconds, nanoseconds, data, lengthBytes }: PcapRecord): Buffer {
  const header = Buffer.alloc(recordHeaderBytes);
  header.writeUInt32LE(seconds, 0);
  header.writeUInt32LE(nanoseconds, 4);
  header.writeUInt32LE(data.length, 8);
  header.writeUInt32LE(lengthBytes, 12);
  return header;
}
