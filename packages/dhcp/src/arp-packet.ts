// Whether another host has an address already. Source: RFC 5227, section 2; RFC 826.
import { hardwareText } from './dhcp-message.ts';
import { bytesOfAddress, textOfAddress, unspecifiedAddress } from './inet4-address.ts';
import { ethernetHeader, etherTypes, everyHardware, hardwareBytes } from './udp-frame.ts';

/** Ethernet, IPv4, lengths of their addresses. */
const kindOfAddresses = Buffer.from('000108000604', 'hex');
const request = 1;
const headerBytes = 14;
const packetBytes = 28;

/** Asks who has the address, without saying that this host wants it. Source: RFC 5227, section 2.1.1. */
export const encodeArpProbe = (hardware: string, address: string): Buffer =>
  encodeRequest(hardware, unspecifiedAddress, address);

/** Says that this host has the address now. Source: RFC 5227, section 2.3. */
export const encodeArpAnnouncement = (hardware: string, address: string): Buffer =>
  encodeRequest(hardware, address, address);

function encodeRequest(hardware: string, sender: string, target: string): Buffer {
  return Buffer.concat([
    ethernetHeader(everyHardware, hardware, etherTypes.arp),
    ...[kindOfAddresses, Buffer.from([0, request]), hardwareBytes(hardware), bytesOfAddress(sender)],
    ...[Buffer.alloc(6), bytesOfAddress(target)],
  ]);
}

/**
 * The Ethernet address of another host that has the address, or that probes it at the same time; undefined when the frame says
 * nothing of it.
 *
 * @param hardware of this host
 */
export function otherOwner(frame: Uint8Array, hardware: string, address: string): string | undefined {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  if (bytes.length < headerBytes + packetBytes || bytes.readUInt16BE(12) !== etherTypes.arp) return undefined;
  const packet = bytes.subarray(headerBytes);
  if (!packet.subarray(0, 6).equals(kindOfAddresses)) return undefined;
  const sender = hardwareText(packet.subarray(8, 14));
  if (sender === hardware) return undefined;
  const senderAddress = textOfAddress(packet.subarray(14, 18));
  const target = textOfAddress(packet.subarray(24, 28));
  const isProbe =
    packet.readUInt16BE(6) === request && senderAddress === unspecifiedAddress && target === address;
  return senderAddress === address || isProbe ? sender : undefined;
}
