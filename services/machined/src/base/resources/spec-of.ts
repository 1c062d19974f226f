import type { Pointer, State } from '@nodewright/state';

/** What a resource says now; undefined while there is none. */
export async function specOf<S>(state: State, pointer: Pointer<S>): Promise<S | undefined> {
  return (await state.list(pointer)).find(({ metadata }) => metadata.id === pointer.id)?.spec;
}
