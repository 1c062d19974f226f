// The addresses that links had, in a file that survives a reboot. They are only asked for again, so a wrong one does no harm.
import { isHostAddress } from '@nodewright/dhcp';

/** Addresses by link: its name and its hardware address, because links of one device share the latter. */
export type RememberedLeases = ReadonlyMap<string, string>;

export const leaseKey = (linkName: string, hardware: string) => `${linkName} ${hardware}`;

/** Links that come and go leave theirs, of which the oldest are dropped. */
const mostLeases = 64;
/** The file of that many links with the longest names has less. */
export const longestLeaseFile = 16 * 1024;
const keyPattern = /^\S{1,15} [0-9a-f]{2}(?::[0-9a-f]{2}){5}$/;
const addressPattern = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/** What a file has; nothing of one that is damaged. */
export function parseLeaseFile(text: string): RememberedLeases {
  if (text.length > longestLeaseFile) return new Map();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return new Map();
  }
  const addresses = isRecord(value) && isRecord(value.addresses) ? value.addresses : {};
  return new Map(
    Object.entries(addresses)
      .filter((entry): entry is [string, string] => keyPattern.test(entry[0]) && isAddress(entry[1]))
      .slice(-mostLeases),
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isAddress = (value: unknown): value is string =>
  typeof value === 'string' &&
  addressPattern.test(value) &&
  value.split('.').every((part) => Number(part) < 256) &&
  isHostAddress(value);

export const encodeLeaseFile = (leases: RememberedLeases): string =>
  `${JSON.stringify({ addresses: Object.fromEntries(leases) }, undefined, 2)}\n`;

/** With the address of a link, or without one; the same object when nothing changes. */
export function withLease(
  leases: RememberedLeases,
  key: string,
  address: string | undefined,
): RememberedLeases {
  if (leases.get(key) === address) return leases;
  const others = [...leases].filter(([other]) => other !== key);
  return new Map([...others, ...(address === undefined ? [] : [[key, address] as const])].slice(-mostLeases));
}
