import type { Pointer, Resource } from '../resource.ts';
import type { State } from '../state.ts';
import { updateResource } from './modify-resource.ts';

/**
 * Adds finalizers to a resource. The store refuses to destroy it until all of them are removed. The write
 * uses the resource's own owner and is allowed in any phase. A caller that must not hold a resource being
 * torn down checks the phase first.
 */
export function addFinalizers<S>(
  state: State,
  pointer: Pointer<S>,
  ...finalizers: readonly string[]
): Promise<Resource<S>> {
  return setFinalizers(state, pointer, (current) => [...new Set([...current, ...finalizers])]);
}

/** Removes finalizers from a resource. */
export function removeFinalizers<S>(
  state: State,
  pointer: Pointer<S>,
  ...finalizers: readonly string[]
): Promise<Resource<S>> {
  return setFinalizers(state, pointer, (current) => current.filter((item) => !finalizers.includes(item)));
}

async function setFinalizers<S>(
  state: State,
  pointer: Pointer<S>,
  next: (current: readonly string[]) => readonly string[],
): Promise<Resource<S>> {
  const { metadata } = await state.get(pointer);
  const change = (current: Resource<S>) => ({ metadata: { finalizers: next(current.metadata.finalizers) } });
  return updateResource(state, pointer, change, { owner: metadata.owner, expectedPhase: 'any' });
}
