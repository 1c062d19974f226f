import { roles as knownRoles, methodRule, type Role } from '@nodewright/contract';

/** Roles that let somebody call anything at all. The one of an apid only lets it speak for others. */
const callingRoles: readonly Role[] = Object.values(knownRoles).filter(
  (role) => role !== knownRoles.impersonator,
);

/**
 * Whether a caller with these roles may call the method, before a hop is dialled or a body read. machined checks again,
 * and knows what else it depends on. A method that this version does not know takes any role: the node that it goes to
 * may know it. Source: Talos v1.14: authorization of methods.
 *
 * @param inMaintenance some methods are for `os:admin` alone on a node that has its configuration.
 */
export function mayCall(fullMethod: string, callerRoles: readonly string[], inMaintenance: boolean): boolean {
  const rule = methodRule(fullMethod);
  const isForAdmins = rule?.maintenance === true && !inMaintenance;
  const allowed: readonly string[] = isForAdmins ? [knownRoles.admin] : (rule?.roles ?? callingRoles);
  return callerRoles.some((role) => allowed.includes(role));
}

/** The part of the roles that counts, as a key: sorted, without those that this version does not know. */
export function rolesKey(callerRoles: readonly string[]): string {
  const known: readonly string[] = callingRoles;
  return callerRoles.filter((role) => known.includes(role)).join(',');
}
