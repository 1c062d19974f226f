import { Fault } from '@nodewright/fault';
import {
  type Resource,
  type ResourceDefinitionSpec,
  resourceDefinitions,
  type State,
} from '@nodewright/state';

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
    throw new Fault('not-found', `resource "${word}" is not registered ("talosctl get rd" lists the kinds)`);
  }
  if (found.length > 1) {
    const ids = found.map(({ metadata }) => metadata.id).join(' ');
    throw new Fault('invalid-argument', `resource type "${word}" is ambiguous: [${ids}]`);
  }
  return only.spec;
}
