// Addresses as the kernel stores them (4 or 16 bytes in network order), and their text forms.
import { isIP } from 'node:net';

const groupCount = 8;

/** `10.5.0.2`. */
function dotted(bytes: Uint8Array): string {
  return [...bytes].join('.');
}

/**
 * The text of an IPv4 address of 4 bytes, or of an IPv6 address of 16 bytes in the form of RFC 5952. A mapped
 * IPv4 address is written as `::ffff:10.5.0.2`.
 */
export function ipAddressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return dotted(bytes);
  const isMapped =
    bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  if (isMapped) return dotted(bytes.subarray(12));

  const groups = Array.from(
    { length: groupCount },
    (_, index) => ((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0),
  );
  const { start, length } = longestZeros(groups);
  const hex = (part: readonly number[]) => part.map((group) => group.toString(16)).join(':');
  if (length < 2) return hex(groups);
  return `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
}

/**
 * The 4 or 16 bytes of an address, in network order.
 *
 * @throws TypeError for a text that is not an address
 */
export function ipAddressBytes(text: string): Buffer {
  if (isIP(text) === 0) throw new TypeError(`${JSON.stringify(text)} is not an address`);
  if (!text.includes(':')) return Buffer.from(text.split('.').map(Number));
  // The URL parser rewrites an IPv4 tail, such as in `::ffff:10.0.0.1`, as hexadecimal groups.
  const [head = '', tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const [front, back] = [groups(head), groups(tail ?? '')];
  const zeros = Array<string>(groupCount - front.length - back.length).fill('0');
  const hex = [...front, ...zeros, ...back].map((group) => group.padStart(4, '0')).join('');
  return Buffer.from(hex, 'hex');
}

function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let longest = { start: 0, length: 0 };
  let length = 0;
  for (const [index, group] of groups.entries()) {
    length = group === 0 ? length + 1 : 0;
    if (length > longest.length) longest = { start: index - length + 1, length };
  }
  return longest;
}
