import { faultFrom } from '@nodewright/fault';
import type { Pointer } from '../resource.ts';
import type { State, WriteOptions } from '../state.ts';

/** Implements `State.teardown` with `get` and `update`, for a server without a teardown call. */
export async function teardownByUpdate(
  state: State,
  pointer: Pointer,
  options: WriteOptions = {},
): Promise<boolean> {
  for (;;) {
    const { metadata, spec } = await state.get(pointer);
    const isReady = metadata.finalizers.length === 0;
    if (metadata.phase === 'tearingDown') return isReady;
    try {
      await state.update({ metadata: { ...metadata, phase: 'tearingDown' }, spec }, options);
      return isReady;
    } catch (error) {
      const fault = faultFrom(error);
      if (fault.kind !== 'failed-precondition') throw fault;
      // Another writer changed the resource first: retry with the stored version.
    }
  }
}
