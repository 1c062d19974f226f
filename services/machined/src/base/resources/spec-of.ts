import type { Pointer, State } from '@nodewright/state';

/** Returns the current spec of a resource; `undefined` when there is no such resource. */
export async function specOf<S>(state: State, pointer: Pointer<S>): Promise<S | undefined> {
  return (await state.list(pointer)).find(({ metadata }) => metadata.id === pointer.id)?.spec;
}
