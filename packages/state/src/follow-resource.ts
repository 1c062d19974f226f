import { ChangeSignal } from '@nodewright/async';
import type { Pointer, Resource, State } from '@nodewright/state';

/** The current value of one resource, updated by a watch. */
export interface FollowedResource<S> {
  /** `undefined` while there is no such resource, or while it is being torn down. */
  current(): Resource<S> | undefined;
  /** Resolves at the next change, or when `signal` aborts. */
  nextChange(signal: AbortSignal): Promise<void>;
}

/**
 * Watches one resource for code that needs its current value without waiting. Resolves when the first value
 * is known; the caller disposes the result.
 */
export async function followResource<S>(
  state: State,
  pointer: Pointer<S>,
): Promise<FollowedResource<S> & AsyncDisposable> {
  const stop = new AbortController();
  const changed = new ChangeSignal();
  const known = Promise.withResolvers<void>();
  let newest: Resource<S> | undefined;

  const follow = async () => {
    // A watch ends when it has lost events: the next one begins with the current value.
    while (!stop.signal.aborted) {
      for await (const events of await state.watch(pointer, { signal: stop.signal })) {
        for (const event of events) {
          if (event.kind === 'created' || event.kind === 'updated') {
            newest = event.resource.metadata.phase === 'running' ? event.resource : undefined;
          }
          if (event.kind === 'destroyed' || event.kind === 'absent') newest = undefined;
        }
        known.resolve();
        changed.notify();
        if (events.some(({ kind }) => kind === 'errored')) break;
      }
    }
  };
  const ended = follow();
  ended.catch(known.reject);
  await known.promise;
  return {
    current: () => newest,
    nextChange: (signal) => changed.next(signal),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}
