import { roles as knownRoles } from '@nodewright/contract';

/** The origin of a caller's roles. */
export type RoleSource = 'certificate' | 'metadata' | 'maintenance' | 'wait';

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
 * Roles of a caller in maintenance, where clients have no certificate: `os:reader`, wherever they call from. Upstream makes callers
 * over SideroLink administrators by their addresses. Here no tunnel exists that would keep others from using such an address.
 */
export function rolesInMaintenance(): CallerRoles {
  return { roles: [knownRoles.reader], source: 'maintenance' };
}

/** Roles of a caller without a certificate, on a worker that has none itself: enough for the only method that it may call. */
export function rolesOfStranger(): CallerRoles {
  return { roles: [knownRoles.reader], source: 'wait' };
}
