import { type Role, roles } from '@nodewright/contract';

const knownRoles: ReadonlySet<string> = new Set(Object.values(roles));

/**
 * The roles in the metadata of a call: blanks around a value are removed, and unknown values are ignored.
 * Source: Talos v1.14: authorization, metadata mode.
 */
export function rolesFromMetadata(values: readonly (string | Uint8Array)[]): ReadonlySet<Role> {
  // Node's HTTP/2 joins fields of the same name with commas, so several roles arrive as one value.
  const words = values
    .filter((value) => typeof value === 'string')
    .flatMap((value) => value.split(','))
    .map((word) => word.trim());
  return new Set(words.filter((word): word is Role => knownRoles.has(word)));
}
