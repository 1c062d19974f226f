import { putResource } from '../change/modify-resource.ts';
import { pointerTo } from '../resource.ts';
import type { SpecCodecs } from '../spec/spec-codec.ts';
import type { State } from '../state.ts';
import type { ResourceKind } from './define-kind.ts';
import { metaNamespace, namespaces, resourceDefinitions } from './meta-kinds.ts';

const options = { owner: 'meta' };

/** Makes a namespace known. */
export async function registerNamespace(state: State, name: string, description: string): Promise<void> {
  await putResource(state, { ...pointerTo(namespaces, name), spec: { description } }, options);
}

/** Makes a kind known under all of its names. */
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
  await putResource(state, { ...pointerTo(resourceDefinitions, id), spec }, options);
}

/** Makes known what every state has: the two kinds of this folder and their namespace. */
export async function registerMeta(state: State): Promise<void> {
  await registerKind(state, resourceDefinitions);
  await registerKind(state, namespaces);
  await registerNamespace(
    state,
    metaNamespace,
    'Metadata namespace which contains resource and namespace definitions.',
  );
}

/** The codecs of these kinds and of those that every state has. */
export function codecsOf(kinds: readonly ResourceKind[]): SpecCodecs {
  return new Map([resourceDefinitions, namespaces, ...kinds].map(({ type, codec }) => [type, codec]));
}
