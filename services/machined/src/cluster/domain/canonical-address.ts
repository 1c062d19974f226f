import { isIpAddress } from '../../base/domain/is-ip-address.ts';

/** An IP address in the one form in which addresses can be compared: mapped ones as IPv4, without a zone; undefined for anything else. */
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

/** Of the machine itself. The address is canonical. */
export const isLoopback = (address: string): boolean => address.startsWith('127.') || address === '::1';

/** Whether one node can have it, and others can reach that node by it. The address is canonical. */
export function isNodeAddress(address: string): boolean {
  if (address.includes(':'))
    return address !== '::' && !address.startsWith('ff') && !/^fe[89ab]/.test(address);
  const first = Number.parseInt(address, 10);
  return first !== 0 && first < 224 && !address.startsWith('169.254.');
}

const isLinkLocal = (address: string): boolean =>
  address.startsWith('169.254.') || /^fe[89ab][0-9a-f]:/.test(address);

/**
 * The addresses of a list that at most one node can have: not loopback and link-local ones, which every machine has, nor
 * virtual ones, which move between nodes. In canonical form.
 */
export function ownedAddresses(texts: readonly string[], virtual: ReadonlySet<string>): string[] {
  return texts
    .map((text) => canonicalAddress(text))
    .filter((each) => each !== undefined)
    .filter((each) => !isLoopback(each) && !isLinkLocal(each) && !virtual.has(each));
}
