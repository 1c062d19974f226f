import { roles as knownRoles } from '@nodewright/contract';

/** Where the roles of a caller come from. */
export type RoleSource = 'certificate' | 'metadata' | 'maintenance';

export interface CallerRoles {
  /** Sorted, without repeats. Roles that this version does not know are kept: another node may know them. */
  readonly roles: readonly string[];
  readonly source: RoleSource;
}

const known: ReadonlySet<string> = new Set(Object.values(knownRoles));

/**
 * What a role may look like: visible ASCII without a comma. Some peers join repeated metadata with commas, so that an
 * organisation called `x,os:admin` would arrive as two roles; other bytes do not fit into metadata at all.
 */
const roleShape = /^[\x21-\x2b\x2d-\x7e]+$/;

/**
 * Roles from the texts of a certificate or of metadata: trimmed, blank and malformed ones left out.
 * Source: Talos v1.14: roles.
 */
export function parseRoles(texts: readonly string[]): string[] {
  return [...new Set(texts.map((text) => text.trim()).filter((text) => roleShape.test(text)))].sort();
}

/** Those that no role of this version is. For the log. */
export function unknownRoles(roles: readonly string[]): string[] {
  return roles.filter((role) => !known.has(role));
}

/**
 * Roles of a caller with a certificate: its organisations, unless one of them lets it speak for others and it does.
 * `claimed` are the values of `talos-role`, empty when absent; they replace, they do not add.
 * Source: Talos v1.14: role injector of apid.
 */
export function rolesFromCertificate(own: readonly string[], claimed: readonly string[]): CallerRoles {
  if (claimed.length === 0 || !own.includes(knownRoles.impersonator)) {
    return { roles: own, source: 'certificate' };
  }
  return { roles: parseRoles(claimed), source: 'metadata' };
}

/** Roles of a caller in maintenance, where nobody shows a certificate: reading, or everything over SideroLink. */
export function rolesInMaintenance(remoteAddress: string): CallerRoles {
  const role = isSideroLinkAddress(remoteAddress) ? knownRoles.admin : knownRoles.reader;
  return { roles: [role], source: 'maintenance' };
}

/** Unique local addresses with first byte 0xfd and eighth byte 0x03. Source: Talos v1.14: SideroLink addresses. */
export function isSideroLinkAddress(address: string): boolean {
  const groups = ipv6Groups(address);
  return groups !== undefined && (groups[0] ?? 0) >> 8 === 0xfd && ((groups[3] ?? 0) & 0xff) === 0x03;
}

/** The eight groups of an IPv6 address without a dotted part; undefined for anything else. */
function ipv6Groups(address: string): number[] | undefined {
  const [head = '', tail, ...more] = address.replace(/%.*$/, '').toLowerCase().split('::');
  if (more.length > 0) return undefined;
  const split = (part: string | undefined) => (part === undefined || part === '' ? [] : part.split(':'));
  const before = split(head);
  const after = split(tail);
  const missing = 8 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...before, ...Array<string>(Math.max(0, missing)).fill('0'), ...after];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/.test(group))) return undefined;
  return groups.map((group) => Number.parseInt(group, 16));
}
