import { pointerTo, putResource, type State, watchFor } from '@nodewright/state';
import { acquireConfigSpecs, acquireConfigStatuses } from '@nodewright/state/kinds';

/**
 * The boot task `loadConfig`: requests the machine configuration and waits until the node has a complete one.
 * The wait includes maintenance. Source: Talos v1.14: sequences, initialize.
 *
 * @throws Fault `cancelled` when the signal aborts first
 */
export async function acquireConfiguration(state: State, signal: AbortSignal): Promise<void> {
  await putResource(state, { ...pointerTo(acquireConfigSpecs), spec: {} });
  const answer = pointerTo(acquireConfigStatuses);
  await watchFor(state, answer, (status) => status !== undefined, signal);
}
