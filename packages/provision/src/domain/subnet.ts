import { createHash } from 'node:crypto';
import { Fault } from '@nodewright/fault';

/**
 * The /24 network of one cluster: `<first>.<second>.<third>.0/24`. For a cluster of processes, its addresses
 * are loopback addresses.
 */
export interface Subnet {
  readonly first: number;
  readonly second: number;
  readonly third: number;
}

/** Nodes have the addresses .2 to .254; .1 is the gateway. */
export const maxNodes = 253;

/**
 * Subnets are chosen automatically from 127.16.0.0 to 127.254.255.0. Those below are left to users and
 * distributions, which usually pick low addresses.
 */
const lowestSecond = 16;
const seconds = 254 - lowestSecond + 1;

/**
 * Parses a subnet, `127.a.b.0/24`. Throws a Fault `invalid-argument` for any other text, and for
 * 127.0.0.0/24, which the host itself uses.
 */
export function parseSubnet(cidr: string): Subnet {
  const match = /^127\.(\d{1,3})\.(\d{1,3})\.0\/24$/.exec(cidr);
  const second = Number(match?.[1] ?? Number.NaN);
  const third = Number(match?.[2] ?? Number.NaN);
  if (!(second <= 255 && third <= 255)) {
    throw new Fault(
      'invalid-argument',
      `a process cluster needs a CIDR of the form 127.a.b.0/24, not "${cidr}"`,
    );
  }
  if (second === 0 && third === 0) {
    throw new Fault(
      'invalid-argument',
      `${cidr} belongs to the host; use another one, for example 127.16.0.0/24`,
    );
  }
  return { first: 127, second, third };
}

/** Returns the first three numbers of all addresses in the subnet. */
export function subnetPrefix({ first, second, third }: Subnet): string {
  return `${first}.${second}.${third}`;
}

export function subnetCidr(subnet: Subnet): string {
  return `${subnetPrefix(subnet)}.0/24`;
}

export function gatewayAddress(subnet: Subnet): string {
  return nodeAddress(subnet, -1);
}

/** Returns the address of the node with this index, which starts at 0. */
export function nodeAddress(subnet: Subnet, index: number): string {
  return `${subnetPrefix(subnet)}.${index + 2}`;
}

/**
 * Returns distinct subnets to try for a cluster, without those in `taken`. Equal keys give equal results, and
 * different keys are spread evenly. The key consists of the cluster's name and folder, so that clusters in
 * different clones get different subnets.
 */
export function candidateSubnets(
  key: string,
  count: number,
  taken: ReadonlySet<string> = new Set(),
): Subnet[] {
  const seen = new Set(taken);
  const candidates: Subnet[] = [];
  for (let round = 0; candidates.length < count && round < count + 1000; round++) {
    const digest = createHash('sha256').update(`${key}\0${round}`).digest();
    const subnet = {
      first: 127,
      second: lowestSecond + (digest.readUInt16BE(0) % seconds),
      third: digest.readUInt8(2),
    };
    const cidr = subnetCidr(subnet);
    if (seen.has(cidr)) continue;
    seen.add(cidr);
    candidates.push(subnet);
  }
  return candidates;
}
