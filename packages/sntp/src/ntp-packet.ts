import { Fault } from '@nodewright/fault';
import type { NtpTimestamp } from './ntp-time.ts';

/** Length of a packet without extensions and authentication. */
export const ntpPacketBytes = 48;

/** Association modes, RFC 5905 figure 10. */
export const ntpModes = { client: 3, server: 4 } as const;

/** The leap indicator of a server whose clock is not set. */
export const leapAlarm = 3;

/** A packet of RFC 5905 §7.3, fields as on the wire. */
export interface NtpPacket {
  /** 0 none, 1 a second is inserted at midnight, 2 one is left out, 3 the clock is not set. */
  readonly leap: number;
  readonly version: number;
  readonly mode: number;
  /** 0 in a kiss of death, 1 for a reference clock, 16 and more for an unset clock. */
  readonly stratum: number;
  /** Log2 of seconds. */
  readonly poll: number;
  /** Log2 of seconds. */
  readonly precision: number;
  /** Seconds in 16.16 bits. */
  readonly rootDelay: number;
  /** Seconds in 16.16 bits. */
  readonly rootDispersion: number;
  /** Four bytes: a code of letters when the stratum is 0 or 1, else an address or a hash of one. */
  readonly referenceId: number;
  readonly referenceTime: NtpTimestamp;
  /** Transmit time of the request that this packet answers. */
  readonly originTime: NtpTimestamp;
  readonly receiveTime: NtpTimestamp;
  readonly transmitTime: NtpTimestamp;
}

export function encodeNtpPacket(packet: NtpPacket): Uint8Array {
  const bytes = new Uint8Array(ntpPacketBytes);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, (packet.leap << 6) | (packet.version << 3) | packet.mode);
  view.setUint8(1, packet.stratum);
  view.setInt8(2, packet.poll);
  view.setInt8(3, packet.precision);
  view.setUint32(4, packet.rootDelay);
  view.setUint32(8, packet.rootDispersion);
  view.setUint32(12, packet.referenceId);
  view.setBigUint64(16, packet.referenceTime);
  view.setBigUint64(24, packet.originTime);
  view.setBigUint64(32, packet.receiveTime);
  view.setBigUint64(40, packet.transmitTime);
  return bytes;
}

/**
 * Reads the fixed part of a packet; what follows it (extensions, authentication) is ignored.
 *
 * @throws Fault `invalid-argument` when there are fewer than 48 bytes.
 */
export function decodeNtpPacket(bytes: Uint8Array): NtpPacket {
  if (bytes.length < ntpPacketBytes) {
    throw new Fault(
      'invalid-argument',
      `an NTP packet has at least ${ntpPacketBytes} bytes, not ${bytes.length}`,
    );
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const first = view.getUint8(0);
  return {
    leap: first >> 6,
    version: (first >> 3) & 7,
    mode: first & 7,
    stratum: view.getUint8(1),
    poll: view.getInt8(2),
    precision: view.getInt8(3),
    rootDelay: view.getUint32(4),
    rootDispersion: view.getUint32(8),
    referenceId: view.getUint32(12),
    referenceTime: view.getBigUint64(16),
    originTime: view.getBigUint64(24),
    receiveTime: view.getBigUint64(32),
    transmitTime: view.getBigUint64(40),
  };
}

/** The four letters of a reference id or kiss code, without padding; other bytes become `?`. */
export function referenceIdText(referenceId: number): string {
  const codes = [24, 16, 8, 0].map((shift) => (referenceId >>> shift) & 0xff).filter((code) => code !== 0);
  return codes.map((code) => (code > 32 && code < 127 ? String.fromCharCode(code) : '?')).join('');
}

/** The reference id of up to four ASCII letters. */
export function referenceIdFromText(text: string): number {
  return Buffer.from(text.padEnd(4, '\0').slice(0, 4), 'latin1').readUInt32BE();
}
