import { roles as knownRoles } from '@nodewright/contract';

/** The origin of a caller's roles. */
export type RoleSource = 'certificate' | 'metadata' | 'maintenance';

export interface CallerRoles {
  /** Sorted, without repeats. Unknown roles are kept, because another node may know them. */
  readonly roles: readonly string[];
  readonly source: RoleSource;
}

const known: ReadonlySet<string> = new Set(Object.values(knownRoles));

/**
 * A valid role is visible ASCII without a comma. Some peers join repeated metadata with commas, so the
 * organisation `x,os:admin` would arrive as two roles. Other bytes are not allowed in metadata values.
 */
const roleShape = /^[\x21-\x2b\x2d-\x7e]+$/;

/**
 * Parses roles from a certificate or from metadata: trims them and drops empty and malformed ones. Source:
 * Talos v1.14: roles.
 */
export function parseRoles(texts: readonly string[]): string[] {
  return [...new Set(texts.map((text) => text.trim()).filter((text) => roleShape.test(text)))].sort();
}

/** The roles that this version does not know, for the log. */
export function unknownRoles(roles: readonly string[]): string[] {
  return roles.filter((role) => !known.has(role));
}

/**
 * Roles of a caller with a certificate: its organisations. A caller with the role `os:impersonator` may
 * replace them: `claimed` are the values of `talos-role`, empty when absent. They replace the caller's own
 * roles and are not added to them. Source: Talos v1.14: role injector of apid.
 */
export function rolesFromCertificate(own: readonly string[], claimed: readonly string[]): CallerRoles {
  if (claimed.length === 0 || !own.includes(knownRoles.impersonator)) {
    return { roles: own, source: 'certificate' };
  }
  return { roles: parseRoles(claimed), source: 'metadata' };
}

/**
 * Roles of a caller in maintenance, where clients have no certificate: `os:admin` over SideroLink, otherwise
 * `os:reader`.
 */
export function rolesInMaintenance(remoteAddress: string): CallerRoles {
  const role = isSideroLinkAddress(remoteAddress) ? knownRoles.admin : knownRoles.reader;
  return { roles: [role], source: 'maintenance' };
}

/**
 * Whether this is a unique local IPv6 address with first byte 0xfd and eighth byte 0x03. Source: Talos v1.14:
 * SideroLink addresses.
 */
export function isSideroLinkAddress(address: string): boolean {
  const groups = ipv6Groups(address);
  return groups !== undefined && (groups[0] ?? 0) >> 8 === 0xfd && ((groups[3] ?? 0) & 0xff) === 0x03;
}

/**
 * The eight groups of an IPv6 address; `undefined` for any other text and for addresses with a dotted IPv4
 * part.
 */
function ipv6Groups(address: string): number[] | undefined {
  const [head = '', tail, ...more] = (address.split('%')[0] ?? '').toLowerCase().split('::');
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
