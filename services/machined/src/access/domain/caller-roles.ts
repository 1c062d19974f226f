import { type Role, roles } from '@nodewright/contract';

const knownRoles: ReadonlySet<string> = new Set(Object.values(roles));

/**
 * The roles that a call carries in its metadata: blanks around a value are dropped, and values that are no role of
 * this build give nothing. Source: Talos v1.14: authorization, metadata mode.
 */
export function rolesFromMetadata(values: readonly (string | Uint8Array)[]): ReadonlySet<Role> {
  // Node's HTTP/2 joins the fields of one name by commas, and so several roles arrive as one value.
  const words = values
    .filter((value) => typeof value === 'string')
    .flatMap((value) => value.split(','))
    .map((word) => word.trim());
  return new Set(words.filter((word): word is Role => knownRoles.has(word)));
}
