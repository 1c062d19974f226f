import { Fault } from '@nodewright/fault';
import {
  type Resource,
  type ResourceDefinitionSpec,
  resourceDefinitions,
  type State,
} from '@nodewright/state';
import { didYouMean, nearestName } from '../nearest-name.ts';

/** The definitions of all kinds that a node has. */
export function listDefinitions(
  state: State,
  signal?: AbortSignal,
): Promise<readonly Resource<ResourceDefinitionSpec>[]> {
  return state.list(resourceDefinitions, { signal });
}

/**
 * The one kind that a word means, in any of its names and whatever the case.
 *
 * @throws Fault `not-found` for none, `invalid-argument` for several
 */
export function resolveKind(
  definitions: readonly Resource<ResourceDefinitionSpec>[],
  word: string,
): ResourceDefinitionSpec {
  const wanted = word.toLowerCase();
  const found = definitions.filter(
    ({ metadata, spec }) =>
      metadata.id.toLowerCase() === wanted || spec.allAliases.some((alias) => alias.toLowerCase() === wanted),
  );
  const [only] = found;
  if (only === undefined) {
    throw new Fault('not-found', unknownKind(definitions, wanted, word));
  }
  if (found.length > 1) {
    const ids = found.map(({ metadata }) => metadata.id).join(' ');
    throw new Fault('invalid-argument', `resource type "${word}" is ambiguous: [${ids}]`);
  }
  return only.spec;
}

function unknownKind(
  definitions: readonly Resource<ResourceDefinitionSpec>[],
  wanted: string,
  word: string,
): string {
  const names = definitions.flatMap(({ metadata, spec }) => [
    metadata.id.split('.', 1)[0] as string,
    ...spec.allAliases,
  ]);
  const nearest = nearestName(
    wanted,
    names.map((name) => name.toLowerCase()),
  );
  const help = nearest === undefined ? ' ("talosctl get rd" lists the kinds)' : didYouMean(nearest);
  return `resource "${word}" is not registered${help}`;
}
