import type { Resource } from '../resource.ts';
import type { ResourceDefinitionSpec } from './meta-kinds.ts';

/**
 * Returns the kinds that match a name: a full type or an alias, in any case. Several kinds may share an
 * alias.
 */
export function kindsNamed(
  definitions: readonly Resource<ResourceDefinitionSpec>[],
  name: string,
): ResourceDefinitionSpec[] {
  const wanted = name.toLowerCase();
  return definitions
    .map(({ spec }) => spec)
    .filter(({ type, allAliases }) => [type, ...allAliases].some((each) => each.toLowerCase() === wanted));
}
