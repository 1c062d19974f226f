import { isIPv4, isIPv6, SocketAddress } from 'node:net';
import { Fault } from '@nodewright/fault';

function groupsFrom(part: string): number[] {
  return part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
}

/**
 * The 4 or 16 bytes of an address in text form. An IPv4 address mapped into IPv6 gives its 4 bytes, because
 * certificates contain only one form of an address. Throws a Fault `invalid-argument` for anything else, also
 * for addresses with a zone.
 */
export function bytesFromIpAddress(text: string): Buffer {
  if (isIPv4(text)) return Buffer.from(text.split('.').map(Number));
  if (!isIPv6(text) || text.includes('%')) {
    throw new Fault('invalid-argument', `${JSON.stringify(text)} is not an IP address`);
  }
  const tail = text.slice(text.lastIndexOf(':') + 1);
  let hexadecimal = text;
  if (tail.includes('.')) {
    const [a = 0, b = 0, c = 0, d = 0] = tail.split('.').map(Number);
    const groups = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
    hexadecimal = text.slice(0, text.length - tail.length) + groups;
  }
  const [head = '', rest] = hexadecimal.split('::');
  const left = groupsFrom(head);
  const right = rest === undefined ? [] : groupsFrom(rest);
  const groups = [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
  const bytes = Buffer.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
  return isMapped(bytes) ? bytes.subarray(12) : bytes;
}

function isMapped(bytes: Buffer): boolean {
  return bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
}

/** The short text form (RFC 5952) of 4 or 16 bytes. */
export function ipAddressFromBytes(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) {
    throw new Fault('invalid-argument', `an IP address cannot have ${bytes.length} bytes`);
  }
  if (isMapped(bytes)) return bytes.subarray(12).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16));
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address;
}
