import { pause } from '@nodewright/async';
import type { ContainerSpec, ContainerStore } from '@nodewright/containers';
import { type FaultKind, faultFrom } from '@nodewright/fault';

/** How often, and for how long in all, an id may be taken: 30 s. A busy engine needs seconds for a container. */
const retryMs = 500;
const mostRetries = 60;

/**
 * Creates a container, whose leftover the caller has removed. A runtime does not stop creating a container when the call was cancelled
 * or the caller was killed. Until it has finished, the id is taken, and the container is in no list and cannot be removed. So while the
 * id is taken, this removes the leftover and tries again.
 *
 * @throws Fault `already-exists` when the id is still taken after 30 s; `cancelled`; the errors of the runtime
 */
export async function createWhenFree(
  containers: ContainerStore,
  spec: ContainerSpec,
  signal: AbortSignal,
): Promise<void> {
  for (let retry = 0; ; retry++) {
    try {
      await containers.create(spec, { signal });
      return;
    } catch (error) {
      if (!isFault(error, 'already-exists') || retry === mostRetries) throw error;
    }
    await pause(retryMs, signal);
    if (signal.aborted) throw faultFrom(signal.reason);
    await removeLeftover(containers, spec.id, signal);
  }
}

/**
 * Removes a container, even if it is running. Does nothing when it does not exist, or when another call is removing it: then its id is
 * taken for a while.
 */
export async function removeLeftover(
  containers: ContainerStore,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await containers.remove(id, { force: true, signal });
  } catch (error) {
    if (!isFault(error, 'not-found') && !isFault(error, 'failed-precondition')) throw error;
  }
}

function isFault(error: unknown, kind: FaultKind): boolean {
  return faultFrom(error).kind === kind;
}
