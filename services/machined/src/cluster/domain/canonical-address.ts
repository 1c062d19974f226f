import { isIpAddress } from '../../base/domain/is-ip-address.ts';

/**
 * Returns an IP address in its canonical form, so that addresses can be compared: IPv4-mapped addresses as
 * IPv4, and without a zone. `undefined` for any other text.
 */
export function canonicalAddress(text: string): string | undefined {
  const [bare = ''] = text.split('%', 1);
  if (!isIpAddress(bare)) return undefined;
  if (!bare.includes(':')) return bare;
  const hostname = new URL(`http://[${bare}]/`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(hostname);
  if (mapped === null) return hostname;
  const parts = mapped.slice(1).map((part) => Number.parseInt(part, 16));
  return parts.flatMap((part) => [part >> 8, part & 0xff]).join('.');
}

/** Whether the canonical address is a loopback address. */
export const isLoopback = (address: string): boolean => address.startsWith('127.') || address === '::1';

/** Whether the canonical address can belong to a single node, and other nodes can dial it. */
export function isNodeAddress(address: string): boolean {
  if (address.includes(':'))
    return address !== '::' && !address.startsWith('ff') && !/^fe[89ab]/.test(address);
  const first = Number.parseInt(address, 10);
  return first !== 0 && first < 224 && !address.startsWith('169.254.');
}

/**
 * The loopback addresses that every machine has, so that they belong to no node. Others, such as 127.1.0.2, tell the nodes of one machine
 * apart.
 */
export const isEveryMachines = (address: string): boolean => address === '127.0.0.1' || address === '::1';

/**
 * The addresses of a list that belong to one node only, in canonical form. Left out are the two that every machine has, and virtual ones,
 * which move between nodes.
 */
export function ownedAddresses(texts: readonly string[], virtual: ReadonlySet<string>): string[] {
  return texts
    .map((text) => canonicalAddress(text))
    .filter((each) => each !== undefined)
    .filter((each) => !isEveryMachines(each) && !virtual.has(each));
}
