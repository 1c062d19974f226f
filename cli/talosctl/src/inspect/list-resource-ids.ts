import type { NodeClient } from '@nodewright/client';
import { type Fault, faultFrom } from '@nodewright/fault';
import { encodedStateOf, stateOf } from '../get/get-resources.ts';
import { listDefinitions } from '../get/resolve-kind.ts';
import { printableCell } from '../render/printable.ts';
import type { Dependency } from './dependency.ts';

export interface ListedResources {
  /** Ids by type, sorted by namespace and id. */
  readonly ids: ReadonlyMap<string, readonly string[]>;
  /** Types that the node refused or failed to list. */
  readonly refusals: readonly { readonly type: string; readonly fault: Fault }[];
}

/** The number of parallel list calls. */
const parallelCalls = 8;

/**
 * Lists the ids of all resources of each type in a graph, in the namespaces of the graph's inputs and in the type's
 * default namespace.
 *
 * @throws Fault when the node does not list the resource definitions, or the signal aborts
 */
export async function listResourceIds(
  node: NodeClient,
  dependencies: readonly Dependency[],
  signal: AbortSignal,
): Promise<ListedResources> {
  const namespaces = new Map<string, Set<string>>();
  for (const { type, namespace } of dependencies) {
    const ofType = namespaces.getOrInsertComputed(type, () => new Set());
    if (namespace !== '') ofType.add(namespace);
  }
  for (const { spec } of await listDefinitions(stateOf(node), signal))
    namespaces.get(spec.type)?.add(spec.defaultNamespace);

  const state = encodedStateOf(node);
  const ids = new Map<string, readonly string[]>();
  const refusals: { readonly type: string; readonly fault: Fault }[] = [];
  const listType = async (type: string, ofType: ReadonlySet<string>) => {
    const found: string[] = [];
    try {
      for (const namespace of [...ofType].sort()) {
        const resources = await state.list({ namespace, type }, { signal });
        found.push(...resources.map(({ metadata }) => printableCell(metadata.id)));
      }
      ids.set(type, found);
    } catch (error) {
      signal.throwIfAborted();
      refusals.push({ type, fault: faultFrom(error) });
    }
  };
  const left = [...namespaces];
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await listType(...next);
  };
  await Promise.all(Array.from({ length: parallelCalls }, work));
  return { ids, refusals: refusals.sort((a, b) => (a.type < b.type ? -1 : 1)) };
}
