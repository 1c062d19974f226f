import { ChangeSignal } from '@nodewright/async';
import type { Pointer, Resource, State } from '@nodewright/state';

/** One resource as it is now. */
export interface FollowedResource<S> {
  /** Undefined while there is no such resource, or while it is being torn down. */
  current(): Resource<S> | undefined;
  /** Resolves at the next change, or when `signal` aborts. */
  nextChange(signal: AbortSignal): Promise<void>;
}

/**
 * Follows one resource for those who have to answer at once. Resolves when it is known; the caller disposes it.
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
    // A watch that lost events has ended: the next one begins with what is there.
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
