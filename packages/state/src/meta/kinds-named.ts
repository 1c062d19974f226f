import type { Resource } from '../resource.ts';
import type { ResourceDefinitionSpec } from './meta-kinds.ts';

/** The kinds that a name means: their full type or any of their aliases, in any case. A name may mean several. */
export function kindsNamed(
  definitions: readonly Resource<ResourceDefinitionSpec>[],
  name: string,
): ResourceDefinitionSpec[] {
  const wanted = name.toLowerCase();
  return definitions
    .map(({ spec }) => spec)
    .filter(({ type, allAliases }) => [type, ...allAliases].some((each) => each.toLowerCase() === wanted));
}
