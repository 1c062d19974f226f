import { Fault } from '@nodewright/fault';
import {
  kindsNamed,
  type Resource,
  type ResourceDefinitionSpec,
  resourceDefinitions,
  type State,
} from '@nodewright/state';
import { didYouMean, nearestName } from '../values/nearest-name.ts';

/** Lists all resource definitions of a node. */
export function listDefinitions(
  state: State,
  signal?: AbortSignal,
): Promise<readonly Resource<ResourceDefinitionSpec>[]> {
  return state.list(resourceDefinitions, { signal });
}

/**
 * Finds the kind with this name or alias, ignoring case.
 *
 * @throws Fault `not-found` for no match, `invalid-argument` for several
 */
export function resolveKind(
  definitions: readonly Resource<ResourceDefinitionSpec>[],
  word: string,
): ResourceDefinitionSpec {
  const found = kindsNamed(definitions, word);
  const [only] = found;
  if (only === undefined) throw new Fault('not-found', unknownKind(definitions, word));
  if (found.length > 1) {
    const ids = found.map(({ type }) => type.toLowerCase()).join(' ');
    throw new Fault('invalid-argument', `resource type "${word}" is ambiguous: [${ids}]`);
  }
  return only;
}

function unknownKind(definitions: readonly Resource<ResourceDefinitionSpec>[], word: string): string {
  const names = definitions.flatMap(({ metadata, spec }) => [
    metadata.id.split('.', 1)[0] as string,
    ...spec.allAliases,
  ]);
  const nearest = nearestName(
    word.toLowerCase(),
    names.map((name) => name.toLowerCase()),
  );
  const help = nearest === undefined ? ' ("talosctl get rd" lists the resource types)' : didYouMean(nearest);
  return `resource "${word}" is not registered${help}`;
}
