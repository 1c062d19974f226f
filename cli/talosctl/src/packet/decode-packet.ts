// Decodes a packet for display: its addresses, ports and kind. The pcap file has everything else.

import { ipv4Text, ipv6Text, macText } from './address-text.ts';
import { decodeTransport } from './decode-transport.ts';
import { PacketBytes } from './packet-bytes.ts';
import type { PcapPacket } from './pcap-reader.ts';

/** The decoded fields of a packet. Fields that it does not have, or that were cut off, are absent. */
export interface DecodedPacket {
  /** `IPv4`, `IPv6`, `ARP`, or the number of an unknown protocol, `ethertype 0x88cc`. */
  readonly network: string;
  /** Network addresses, or link addresses if the network protocol is unknown. */
  readonly source?: string | undefined;
  readonly destination?: string | undefined;
  /** `TCP`, `UDP`, `ICMP`, `ICMPv6` or `protocol 47`; absent without IP and in later fragments. */
  readonly transport?: string | undefined;
  readonly sourcePort?: number | undefined;
  readonly destinationPort?: number | undefined;
  /** The rest as text: flags, numbers, types. */
  readonly detail?: string | undefined;
}

const ethernetLink = 1;
const ethernetHeaderBytes = 14;
const vlanBytes = 4;
const vlanTypes = new Set([0x8100, 0x88a8]);
const types = { ipv4: 0x0800, arp: 0x0806, ipv6: 0x86dd };
/** A smaller number in this field is the length of an IEEE 802.3 frame. */
const smallestType = 0x0600;

/** Never throws: fields that cannot be read are left out. */
export function decodePacket({ linkType, data }: PcapPacket): DecodedPacket {
  const bytes = new PacketBytes(data);
  if (linkType !== ethernetLink) return decodeIp(bytes) ?? { network: `link type ${linkType}` };

  let at = ethernetHeaderBytes;
  let type = bytes.word(12);
  while (type !== undefined && vlanTypes.has(type)) {
    type = bytes.word(at + 2);
    at += vlanBytes;
  }
  const payload = bytes.from(at);
  const known = type === types.arp ? decodeArp(payload) : decodeIp(payload, type);
  return (
    known ?? {
      network: typeName(type),
      source: macText(bytes.slice(6, 6)),
      destination: macText(bytes.slice(0, 6)),
    }
  );
}

function typeName(type: number | undefined): string {
  if (type === undefined) return 'cut';
  return type < smallestType ? '802.3' : `ethertype 0x${type.toString(16).padStart(4, '0')}`;
}

function decodeIp(bytes: PacketBytes, type?: number): DecodedPacket | undefined {
  const version = (bytes.byte(0) ?? 0) >> 4;
  if (version === 4 && (type ?? types.ipv4) === types.ipv4) return decodeIpv4(bytes);
  if (version === 6 && (type ?? types.ipv6) === types.ipv6) return decodeIpv6(bytes);
  return undefined;
}

function decodeIpv4(bytes: PacketBytes): DecodedPacket {
  const headerBytes = ((bytes.byte(0) ?? 0) & 0x0f) * 4;
  const totalBytes = bytes.word(2) ?? 0;
  const fragmentOffset = ((bytes.word(6) ?? 0) & 0x1fff) * 8;
  const addresses = {
    network: 'IPv4',
    source: ipv4Text(bytes.slice(12, 4)),
    destination: ipv4Text(bytes.slice(16, 4)),
  };
  if (fragmentOffset > 0) return { ...addresses, detail: `fragment at ${fragmentOffset}` };
  // The kernel sends large packets to its devices with a length of 0 and splits them later.
  const payloadBytes = (totalBytes === 0 ? bytes.length : totalBytes) - headerBytes;
  return { ...addresses, ...decodeTransport(bytes.byte(9), bytes.from(headerBytes), payloadBytes) };
}

const ipv6HeaderBytes = 40;
const fragmentHeader = 44;
/** Headers between the IPv6 header and the transport header: hop-by-hop, routing, destination options. */
const extensionHeaders = new Set([0, 43, 60]);

function decodeIpv6(bytes: PacketBytes): DecodedPacket {
  const addresses = {
    network: 'IPv6',
    source: ipv6Text(bytes.slice(8, 16)),
    destination: ipv6Text(bytes.slice(24, 16)),
  };
  const length = bytes.word(4) ?? 0;
  const end = ipv6HeaderBytes + (length === 0 ? bytes.length - ipv6HeaderBytes : length);
  let next = bytes.byte(6);
  let at = ipv6HeaderBytes;
  while (next !== undefined && at < bytes.length && (extensionHeaders.has(next) || next === fragmentHeader)) {
    const offset = next === fragmentHeader ? (bytes.word(at + 2) ?? 0) & 0xfff8 : 0;
    if (offset > 0) return { ...addresses, detail: `fragment at ${offset}` };
    const size = next === fragmentHeader ? 8 : 8 + (bytes.byte(at + 1) ?? 0) * 8;
    next = bytes.byte(at);
    at += size;
  }
  return { ...addresses, ...decodeTransport(next, bytes.from(at), end - at) };
}

function decodeArp(bytes: PacketBytes): DecodedPacket {
  const operation = bytes.word(6);
  const source = ipv4Text(bytes.slice(14, 4));
  const target = ipv4Text(bytes.slice(24, 4));
  const sender = macText(bytes.slice(8, 6));
  const details: Readonly<Record<number, string>> = {
    1: `who has ${target}, tell ${source}`,
    2: `${source} is at ${sender}`,
  };
  return {
    network: 'ARP',
    source,
    destination: target,
    detail: details[operation ?? 0] ?? `operation ${operation}`,
  };
}
