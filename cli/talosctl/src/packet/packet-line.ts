import { type DecodedPacket, decodePacket } from './decode-packet.ts';
import type { PcapPacket } from './pcap-reader.ts';

/** When the packet was captured, RFC 3339 with nanoseconds. */
function timeText({ seconds, nanoseconds }: PcapPacket): string {
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  return `${whole}.${String(nanoseconds).padStart(9, '0')}Z`;
}

function end(address: string | undefined, port: number | undefined): string {
  if (address === undefined) return '?';
  if (port === undefined) return address;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** One line: `2026-08-14T12:00:00.123456789Z IPv4 10.5.0.2:40000 > 10.5.0.3:53 UDP length 30`. */
export function packetLine(packet: PcapPacket): string {
  const decoded = decodePacket(packet);
  const isArp = decoded.network === 'ARP';
  const ends = `${end(decoded.source, decoded.sourcePort)} > ${end(decoded.destination, decoded.destinationPort)}`;
  return [
    timeText(packet),
    decoded.network,
    // The text of ARP already names both addresses.
    ...(isArp ? [] : [ends]),
    decoded.transport,
    decoded.detail ?? `length ${packet.lengthBytes}`,
  ]
    .filter((word) => word !== undefined)
    .join(' ');
}

/** The same values as fields of a document. */
export function packetDocument(
  packet: PcapPacket,
): DecodedPacket & { readonly time: string; readonly lengthBytes: number; readonly storedBytes: number } {
  return {
    time: timeText(packet),
    lengthBytes: packet.lengthBytes,
    storedBytes: packet.data.length,
    ...decodePacket(packet),
  };
}
