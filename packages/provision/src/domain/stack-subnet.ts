import { Fault } from '@nodewright/fault';
import { type Ipv4Range, overlaps, parseRange } from './ipv4-range.ts';
import { type Subnet, subnetCidr } from './subnet.ts';

/** The first subnet to try, which is the default of Talos; the subnets after it follow. */
const preferred = { first: 10, second: 5 };

/**
 * Parses the subnet of a cluster of containers, `a.b.c.0/24`. Throws a Fault `invalid-argument` for any other
 * text, and for addresses that no bridge can have: loopback, link-local and multicast.
 */
export function parseStackSubnet(cidr: string): Subnet {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.0\/24$/.exec(cidr);
  const [first = 256, second = 256, third = 256] = match?.slice(1).map(Number) ?? [];
  const isUsable = first > 0 && first < 224 && first !== 127 && !(first === 169 && second === 254);
  if (match === null || Math.max(first, second, third) > 255 || !isUsable) {
    throw new Fault(
      'invalid-argument',
      `a cluster of containers needs a CIDR of the form 10.a.b.0/24, not "${cidr}"`,
    );
  }
  return { first, second, third };
}

/** Returns subnets to try for a cluster, in order of preference. None overlaps with a taken range. */
export function candidateStackSubnets(taken: readonly Ipv4Range[], count: number): Subnet[] {
  const candidates: Subnet[] = [];
  for (let index = 0; candidates.length < count && index < 64 * 256; index++) {
    const subnet = { ...preferred, second: preferred.second + (index >> 8), third: index & 255 };
    if (isFree(subnet, taken)) candidates.push(subnet);
  }
  return candidates;
}

export function isFree(subnet: Subnet, taken: readonly Ipv4Range[]): boolean {
  const range = parseRange(subnetCidr(subnet));
  return range !== undefined && !taken.some((other) => overlaps(range, other));
}
