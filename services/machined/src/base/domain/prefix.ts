// IP addresses with prefix lengths, as values that can be compared.
import { ipAddressText } from '@nodewright/linux/network';
import { isIpAddress } from './is-ip-address.ts';

export interface Prefix {
  readonly family: 4 | 6;
  /** The address as a number of 32 or 128 bits. */
  readonly bits: bigint;
  readonly length: number;
}

/** Parses `10.0.0.1/24`, or an address without a length, which gets the full length; `undefined` for any other text. */
export function parsePrefix(text: string): Prefix | undefined {
  const [address = '', length, rest] = text.split('/');
  if (rest !== undefined || !isIpAddress(address)) return undefined;
  const family = address.includes(':') ? 6 : 4;
  const width = widthOf({ family });
  const parsed = length === undefined ? width : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  if (!(parsed <= width)) return undefined;
  return {
    family: family as 4 | 6,
    bits: family === 4 ? bitsOf4(address) : bitsOf6(address),
    length: parsed,
  };
}

/**
 * Returns `10.0.0.1/32` for `10.0.0.1`. Texts with a length, and texts that are not addresses, are returned
 * unchanged.
 */
export function withPrefixLength(text: string): string {
  const prefix = parsePrefix(text);
  return prefix === undefined || text.includes('/') ? text : `${text}/${prefix.length}`;
}

/** Returns `10.0.0.1` for `10.0.0.1/24`. */
export const addressOf = (text: string) => text.split('/', 1)[0] ?? '';

/**
 * The 4 or 16 bytes of an address in network order.
 *
 * @throws TypeError for a text that is not an address
 */
export function addressBytes(text: string): Uint8Array {
  const prefix = parsePrefix(text);
  if (prefix === undefined) throw new TypeError(`${JSON.stringify(text)} is not an address`);
  const width = widthOf(prefix);
  return Buffer.from(prefix.bits.toString(16).padStart(width / 4, '0'), 'hex');
}

/**
 * The network of an address with a prefix length, without its host bits: `10.0.0.0/24` for `10.0.0.7/24`, `fd00::/64` for
 * `FD00:0::7/64`. `undefined` for a text that is neither.
 */
export function networkOf(text: string): string | undefined {
  const prefix = parsePrefix(text);
  if (prefix === undefined) return undefined;
  const width = widthOf(prefix);
  const host = BigInt(width - prefix.length);
  const bytes = Buffer.from(((prefix.bits >> host) << host).toString(16).padStart(width / 4, '0'), 'hex');
  return `${ipAddressText(bytes)}/${prefix.length}`;
}

/** Whether the address of `inner` is in the network `outer`. */
export function holds(outer: Prefix, inner: Prefix): boolean {
  if (outer.family !== inner.family) return false;
  const shift = BigInt(widthOf(outer) - outer.length);
  return outer.bits >> shift === inner.bits >> shift;
}

/** Sorts IPv4 before IPv6, then by address, then larger networks first. */
export function comparePrefixes(a: Prefix, b: Prefix): number {
  return a.family - b.family || (a.bits < b.bits ? -1 : a.bits > b.bits ? 1 : 0) || a.length - b.length;
}

const loopback = ['127.0.0.0/8', '::1/128'].map(knownPrefix);
const linkLocal = ['169.254.0.0/16', 'fe80::/10'].map(knownPrefix);
const multicast = ['224.0.0.0/4', 'ff00::/8'].map(knownPrefix);
const inOne = (networks: readonly Prefix[]) => (prefix: Prefix) =>
  networks.some((network) => holds(network, prefix));

export const isLoopback = inOne(loopback);
export const isLinkLocal = inOne(linkLocal);
export const isMulticast = inOne(multicast);

function knownPrefix(text: string): Prefix {
  return parsePrefix(text) as Prefix;
}

function widthOf({ family }: Pick<Prefix, 'family'>): number {
  return family === 4 ? 32 : 128;
}

function bitsOf4(text: string): bigint {
  return text.split('.').reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
}

function bitsOf6(text: string): bigint {
  // The URL parser rewrites an IPv4 tail, such as in `::ffff:10.0.0.1`, as hexadecimal groups.
  const plain = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [head = '', tail] = plain.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const [front, back] = [groups(head), groups(tail ?? '')];
  const zeros = Array<string>(8 - front.length - back.length).fill('0');
  return [...front, ...zeros, ...back].reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}
