import { Fault } from '@nodewright/fault';
import { type KindRef, kindsNamed, type Resource, type ResourceDefinitionSpec } from '@nodewright/state';

/** The maximum number of names in an error message. */
const maxListedNames = 10;

/**
 * Finds the kind with a name among the definitions of a node. Returns `undefined` for an unknown name.
 *
 * @throws Fault `invalid-argument` when several kinds have the name
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
    throw new Fault('invalid-argument', `${JSON.stringify(name)} matches several kinds: ${types.join(', ')}`);
  }
  return { namespace: only.defaultNamespace, type: only.type };
}
