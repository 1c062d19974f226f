import { isIP, isIPv6 } from 'node:net';

// Parsing of IP addresses as by Go's `netip`.

export type IpFamily = 4 | 6;

export interface Prefix {
  readonly family: IpFamily;
  /** The address as a number of 32 or 128 bits. */
  readonly address: bigint;
  readonly length: number;
}

export function isIpText(text: string): boolean {
  return isIP(text) !== 0;
}

export function isUnspecified(text: string): boolean {
  return isIpText(text) && addressBits(text) === 0n;
}

/** Parses `address/length`. Returns `undefined` for any other text, including an address with a zone. */
export function parsePrefix(text: string): Prefix | undefined {
  const [, address = '', bits = ''] = /^([^/%]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const family = isIP(address);
  if (family !== 4 && family !== 6) return undefined;
  const length = Number(bits);
  return length > widthOf(family) ? undefined : { family, address: addressBits(address), length };
}

export function isPrefixText(text: string): boolean {
  return parsePrefix(text) !== undefined;
}

/** The number of bits in an address of the family. */
export function widthOf(family: IpFamily): number {
  return family === 4 ? 32 : 128;
}

/** Whether no bit after the prefix length is set. */
export function isMasked({ family, address, length }: Prefix): boolean {
  const hostBits = BigInt(widthOf(family) - length);
  return address === (address >> hostBits) << hostBits;
}

export function overlap(a: Prefix, b: Prefix): boolean {
  if (a.family !== b.family) return false;
  const shift = BigInt(widthOf(a.family) - Math.min(a.length, b.length));
  return a.address >> shift === b.address >> shift;
}

/** Parses `host:port` or `[address]:port` with a port up to 65535. */
export function parseHostPort(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, bracketed, plain, portText = ''] = /^(?:\[([^[\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(portText);
  if (host === undefined || portText === '' || port > 65535) return undefined;
  return bracketed !== undefined && !isIPv6(bracketed) ? undefined : { host, port };
}

function addressBits(text: string): bigint {
  const [bare = ''] = text.split('%');
  if (!bare.includes(':')) return bare.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
  const [head = '', tail] = bare.split('::');
  const before = groupsOf(head);
  const after = tail === undefined ? [] : groupsOf(tail);
  const middle = Array<bigint>(Math.max(0, 8 - before.length - after.length)).fill(0n);
  return [...before, ...middle, ...after].reduce((sum, group) => (sum << 16n) | group, 0n);
}

/** Splits into groups of 16 bits. The last group may be written as an IPv4 address. */
function groupsOf(text: string): bigint[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [BigInt(`0x${group}`)];
    const bits = addressBits(group);
    return [bits >> 16n, bits & 0xffffn];
  });
}
