import { roles as knownRoles, methodRule, type Role } from '@nodewright/contract';

/**
 * Roles that allow calls. `os:impersonator`, the role of other apids, only allows them to forward calls of
 * their clients.
 */
const callingRoles: readonly Role[] = Object.values(knownRoles).filter(
  (role) => role !== knownRoles.impersonator,
);

/**
 * Whether a caller with these roles may call the method. apid checks this before it connects to a hop or
 * reads a body; machined checks again, with the conditions that apid does not know. A method that this
 * version does not know is allowed with any role, because the target node may know it. Source: Talos v1.14:
 * authorization of methods.
 *
 * @param inMaintenance whether the node is in maintenance; outside maintenance some methods require
 * `os:admin`.
 */
export function mayCall(fullMethod: string, callerRoles: readonly string[], inMaintenance: boolean): boolean {
  const rule = methodRule(fullMethod);
  const isForAdmins = rule?.maintenance === true && !inMaintenance;
  const allowed: readonly string[] = isForAdmins ? [knownRoles.admin] : (rule?.roles ?? callingRoles);
  return callerRoles.some((role) => allowed.includes(role));
}

/** The roles that count for the limits, as a key: sorted, without roles that this version does not know. */
export function rolesKey(callerRoles: readonly string[]): string {
  const known: readonly string[] = callingRoles;
  return callerRoles.filter((role) => known.includes(role)).join(',');
}
