/** Addresses from `first` to `last`, both included, each as an unsigned number of 32 bits. */
export interface Ipv4Range {
  readonly first: number;
  readonly last: number;
}

/** The range written as `a.b.c.d/bits`; undefined for anything else, as a range of IPv6. */
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

/** The networks that a host has routes to, in the text of `/proc/net/route`. The default route is none. */
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

/** The kernel prints the bytes of an address in the order of its memory: little end first on all that we run on. */
function fromKernel(hex: string): number {
  return Number.parseInt((hex.match(/../g) ?? []).toReversed().join(''), 16);
}
