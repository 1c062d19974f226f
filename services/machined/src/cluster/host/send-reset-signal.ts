import { pointerTo, putResource, type State } from '@nodewright/state';
import { machineResetSignals } from '@nodewright/state/kinds';
import type { NodeRegistry } from './node-registry.ts';

export interface ResetSignalInit {
  readonly state: State;
  readonly registry: NodeRegistry;
}

/**
 * The removal takes milliseconds while etcd answers. A link that has just lost this node's etcd reconnects
 * within a second.
 */
const removalTimeoutMs = 3000;

/**
 * Creates the resource that signals a reset of the machine, without an owner. Then waits a short time until
 * the record of this node is removed. Once machined has ended, only the lease would remove it, and the node
 * would look alive until then. Source: Talos v1.14: COSI resources, MachineResetSignals.
 */
export async function sendResetSignal(
  { state, registry }: ResetSignalInit,
  signal: AbortSignal,
): Promise<void> {
  const own = registry.own()?.nodeId;
  await putResource(state, { ...pointerTo(machineResetSignals), spec: {} });
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(removalTimeoutMs)]);
  const isListed = () => registry.nodes()?.some(({ nodeId }) => nodeId === own) === true;
  while (isListed() && !deadline.aborted) await registry.nextChange(deadline);
}
