import type { Pointer, Resource } from '../resource.ts';
import type { State } from '../state.ts';
import { updateResource } from './modify-resource.ts';

/**
 * Holds a resource: it cannot be destroyed until each of these is removed again. Done in the name of its owner and in
 * any phase: whoever must not hold what is torn down looks at the phase before.
 */
export function addFinalizers<S>(
  state: State,
  pointer: Pointer<S>,
  ...finalizers: readonly string[]
): Promise<Resource<S>> {
  return setFinalizers(state, pointer, (current) => [...new Set([...current, ...finalizers])]);
}

/** Lets go of a resource. */
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
