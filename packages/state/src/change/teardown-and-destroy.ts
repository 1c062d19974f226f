import { Fault, faultFrom } from '@nodewright/fault';
import type { Pointer, Resource } from '../resource.ts';
import type { State, WriteOptions } from '../state.ts';

/** Tears a resource down, waits until it has no finalizers, and destroys it. */
export async function teardownAndDestroy(
  state: State,
  pointer: Pointer,
  { signal, ...options }: WriteOptions & { readonly signal?: AbortSignal } = {},
): Promise<void> {
  if (!(await state.teardown(pointer, options))) {
    const left = await watchFor(state, pointer, (resource) => !resource?.metadata.finalizers.length, signal);
    if (left === undefined) return;
  }
  try {
    await state.destroy(pointer, options);
  } catch (error) {
    if (faultFrom(error).kind !== 'not-found') throw error;
  }
}

/**
 * Waits until `isWanted` accepts the state of a resource, which is `undefined` while the resource does not
 * exist. Resolves to that state.
 *
 * @throws Fault `cancelled` when the signal aborts first
 */
export async function watchFor<S>(
  state: State,
  pointer: Pointer<S>,
  isWanted: (resource: Resource<S> | undefined) => boolean,
  signal?: AbortSignal,
): Promise<Resource<S> | undefined> {
  for (let isOver = false; !isOver; ) {
    isOver = true;
    using watch = await state.watch(pointer, { signal });
    for await (const [event] of watch) {
      // Events were lost: a new watch starts from the current content.
      isOver = event?.kind !== 'errored';
      if (!isOver) break;
      const resource = event?.kind === 'created' || event?.kind === 'updated' ? event.resource : undefined;
      if (isWanted(resource)) return resource;
    }
  }
  throw new Fault(
    'cancelled',
    `the wait for ${pointer.type}(${pointer.namespace}/${pointer.id}) was cancelled`,
  );
}
