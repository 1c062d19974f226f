import { pointerTo, putResource, type State } from '@nodewright/state';
import { machineResetSignals } from '@nodewright/state/kinds';
import type { NodeRegistry } from './node-registry.ts';

export interface ResetSignalInit {
  readonly state: State;
  readonly registry: NodeRegistry;
}

/** A cluster that answers takes milliseconds; one that has just lost this node's etcd is found again within a second. */
const removalTimeoutMs = 3000;

/**
 * Creates the resource that says that the machine is being reset, in nobody's name, and waits a short time until the
 * cluster's list has this node no more: after its end nobody could take it away, and it would count as alive as long as
 * its lease. Source: Talos v1.14: COSI resources, MachineResetSignals.
 */
export async function sendResetSignal(
  { state, registry }: ResetSignalInit,
  signal: AbortSignal,
): Promise<void> {
  const own = registry.own()?.nodeId;
  await putResource(state, { ...pointerTo(machineResetSignals), spec: {} });
  const giveUp = AbortSignal.any([signal, AbortSignal.timeout(removalTimeoutMs)]);
  const isListed = () => registry.nodes()?.some(({ nodeId }) => nodeId === own) === true;
  while (isListed() && !giveUp.aborted) await registry.nextChange(giveUp);
}
