import { Fault } from '@nodewright/fault';
import { type KindRef, type NewResource, pointerTo, type Resource, resourceText } from '@nodewright/state';
import type { ReconcilePass } from './controller.ts';

export interface ReplaceOwnedInit<S> {
  /** The owner of the resources: the name of the controller. */
  readonly owner: string;
  readonly kind: KindRef<S>;
  readonly wanted: Iterable<Omit<NewResource<S>, 'namespace' | 'type'>>;
  /** Whether changes of the kind wake the controller. */
  readonly isTold: boolean;
}

/**
 * Makes the resources of a kind that the owner has exactly the wanted ones. A resource with finalizers is
 * only torn down. The pass after the removal of the finalizers destroys it, and creates it again if it is
 * wanted again.
 *
 * @throws Fault `failed-precondition` when there will be no such pass, because the kind is not among the
 * inputs
 */
export async function replaceOwned<S>(
  pass: Pick<ReconcilePass, 'list' | 'put' | 'teardown' | 'destroy'>,
  { owner, kind, wanted, isTold }: ReplaceOwnedInit<S>,
): Promise<void> {
  const all = await pass.list(kind);
  const owned = new Map(
    all
      .filter(({ metadata }) => metadata.owner === owner)
      .map((resource) => [resource.metadata.id, resource]),
  );
  const held: Resource<S>[] = [];
  const remove = async (resource: Resource<S>): Promise<boolean> => {
    const pointer = pointerTo(kind, resource.metadata.id);
    const isFree = await pass.teardown(pointer);
    if (isFree) await pass.destroy(pointer);
    else held.push(resource);
    return isFree;
  };

  const ids = new Set<string>();
  for (const one of wanted) {
    if (ids.has(one.id))
      throw new Fault('invalid-argument', `${kind.type}(${kind.namespace}/${one.id}) is wanted twice`);
    ids.add(one.id);
    const stored = owned.get(one.id);
    // A resource that is being torn down never returns to running: it is destroyed, and a new one is created.
    if (stored?.metadata.phase === 'tearingDown' && !(await remove(stored))) continue;
    await pass.put({ ...one, namespace: kind.namespace, type: kind.type });
  }
  for (const [id, resource] of owned) if (!ids.has(id)) await remove(resource);

  const [first] = held;
  if (first !== undefined && !isTold) throw neverFinished(owner, first.metadata);
}

function neverFinished(owner: string, metadata: Resource['metadata']): Fault {
  return new Fault(
    'failed-precondition',
    `resource ${resourceText(metadata, metadata.version)} has finalizers, and controller "${owner}" has no input of its kind that would report their removal`,
  );
}
