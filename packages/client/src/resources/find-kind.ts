import { Fault } from '@nodewright/fault';
import { type KindRef, kindsNamed, type Resource, type ResourceDefinitionSpec } from '@nodewright/state';

/** More names are not listed in an error. */
const maxListedNames = 10;

/**
 * The kind that a name means on a node. Undefined for an unknown name.
 *
 * @throws Fault `invalid-argument` for a name of several kinds
 */
export function findKind(
  definitions: readonly Resource<ResourceDefinitionSpec>[],
  name: string,
): KindRef | undefined {
  const found = kindsNamed(definitions, name);
  const [only] = found;
  if (only === undefined) return undefined;
  if (found.length > 1) {
    const types = found.slice(0, maxListedNames).map(({ type }) => type);
    throw new Fault('invalid-argument', `${JSON.stringify(name)} names several kinds: ${types.join(', ')}`);
  }
  return { namespace: only.defaultNamespace, type: only.type };
}
