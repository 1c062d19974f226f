import { faultFrom } from '@nodewright/fault';
import type { Pointer } from '../resource.ts';
import type { State, WriteOptions } from '../state.ts';

/** `State.teardown` for a state that has no such call: by what it reads and by an update. */
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
      // Somebody was quicker: what they wrote is torn down.
    }
  }
}
