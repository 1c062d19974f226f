/** The addresses from `first` to `last`, both included, as unsigned 32-bit numbers. */
export interface Ipv4Range {
  readonly first: number;
  readonly last: number;
}

/** Parses a range such as `a.b.c.d/bits`; returns `undefined` for anything else, including IPv6. */
export function parseRange(cidr: string): Ipv4Range | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(cidr);
  if (match === null) return undefined;
  const [a = 0, b = 0, c = 0, d = 0, bits = 33] = match.slice(1).map(Number);
  if (Math.max(a, b, c, d) > 255 || bits > 32) return undefined;
  return rangeOf(((a * 256 + b) * 256 + c) * 256 + d, 2 ** (32 - bits));
}

export function overlaps(a: Ipv4Range, b: Ipv4Range): boolean {
  return a.first <= b.last && b.first <= a.last;
}

/**
 * Returns the networks to which the host has routes, from the text of `/proc/net/route`. The default route is
 * left out.
 */
export function routedRanges(text: string): Ipv4Range[] {
  return text
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))
    .filter((fields) => fields.length > 7 && fields[7] !== '00000000')
    .map((fields) => rangeOf(fromKernel(fields[1] ?? ''), 2 ** 32 - fromKernel(fields[7] ?? '')));
}

function rangeOf(address: number, size: number): Ipv4Range {
  const first = address - (address % size);
  return { first, last: first + size - 1 };
}

/** The kernel prints an address in host byte order, which is little-endian on all supported platforms. */
function fromKernel(hex: string): number {
  return Number.parseInt((hex.match(/../g) ?? []).toReversed().join(''), 16);
}
