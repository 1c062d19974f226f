import { faultFrom } from '@nodewright/fault';
import { putResource } from '../change/modify-resource.ts';
import { type NewResource, pointerTo } from '../resource.ts';
import type { SpecCodecs } from '../spec/spec-codec.ts';
import type { State } from '../state.ts';
import type { ResourceKind } from './define-kind.ts';
import { metaNamespace, namespaces, resourceDefinitions } from './meta-kinds.ts';

const options = { owner: 'meta' };

/** Registers a namespace. */
export async function registerNamespace(state: State, name: string, description: string): Promise<void> {
  await register(state, { ...pointerTo(namespaces, name), spec: { description } });
}

/** Registers a kind under all of its names. */
export async function registerKind(state: State, kind: ResourceKind): Promise<void> {
  const { id, type, displayType, namespace, aliases, allAliases, skipAutomaticAliases, printColumns } = kind;
  const spec = {
    type,
    displayType,
    defaultNamespace: namespace,
    aliases,
    allAliases,
    skipAutomaticAliases,
    printColumns,
    sensitivity: kind.isSensitive ? ('sensitive' as const) : ('' as const),
  };
  await register(state, { ...pointerTo(resourceDefinitions, id), spec });
}

/**
 * Creates the resource, and updates it only if it exists. It is usually new: reading it first would double
 * the start time of a node.
 */
async function register<S>(state: State, resource: NewResource<S>): Promise<void> {
  try {
    await state.create(resource, options);
  } catch (error) {
    if (faultFrom(error).kind !== 'already-exists') throw error;
    await putResource(state, resource, options);
  }
}

/** Registers the two kinds of this folder and their namespace, which every state has. */
export async function registerMeta(state: State): Promise<void> {
  await registerKind(state, resourceDefinitions);
  await registerKind(state, namespaces);
  await registerNamespace(
    state,
    metaNamespace,
    'Metadata namespace which contains resource and namespace definitions.',
  );
}

/** Returns the codecs of these kinds and of the kinds that every state has. */
export function codecsOf(kinds: readonly ResourceKind[]): SpecCodecs {
  const byType = new Map([resourceDefinitions, namespaces, ...kinds].map((kind) => [kind.type, kind]));
  return { get: (type) => byType.get(type)?.codec };
}
