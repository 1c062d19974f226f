import { Fault } from '@nodewright/fault';
import { type KindRef, type NewResource, pointerTo, type Resource, resourceText } from '@nodewright/state';
import type { ReconcilePass } from './controller.ts';

export interface ReplaceOwnedInit<S> {
  /** Whose resources they are: the name of the controller. */
  readonly owner: string;
  readonly kind: KindRef<S>;
  readonly wanted: Iterable<Omit<NewResource<S>, 'namespace' | 'type'>>;
  /** Whether the controller is woken by changes of the kind. */
  readonly isTold: boolean;
}

/**
 * Makes the owner's resources of a kind exactly those that are wanted. What is held by others is only torn down: the
 * pass that comes when they let go of it finishes it, and puts it again where it is wanted again.
 *
 * @throws Fault `failed-precondition` when there will be no such pass, since the kind is not among the inputs
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
    // What is torn down never comes back: it goes, and a new one takes its place.
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
    `resource ${resourceText(metadata, metadata.version)} is held by others, and controller "${owner}" has no input of its kind that would tell when they let go of it`,
  );
}
