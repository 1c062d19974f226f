import { serviceIds } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';
import type { ServiceLife } from '@nodewright/services/domain';

/** The operations of the API on a service. */
export type ServiceOperation = 'start' | 'stop' | 'restart';

const everyOperation: readonly ServiceOperation[] = ['start', 'stop', 'restart'];
const extensionPrefix = 'ext-';

/** Whether the name is that of a system service or of an extension. Source: Talos v1.14: services. */
export function isNodeService(id: string): boolean {
  return (Object.values(serviceIds) as string[]).includes(id) || id.startsWith(extensionPrefix);
}

/**
 * The operations that the API permits if they change anything. Source: Talos v1.14: services, API control.
 */
export function operationsOf(id: string): readonly ServiceOperation[] {
  if (id.startsWith(extensionPrefix)) return everyOperation;
  // Stopping the kubelet would be irreversible through Kubernetes.
  return id === serviceIds.kubelet ? ['start', 'restart'] : [];
}

/**
 * The steps for an `operation` of the API; undefined when the service is in that state already, which is
 * permitted for every service. A restart of a stopped service is a start.
 *
 * @param life undefined: there is no such service
 * @throws Fault `unknown`, as upstream does, for an unknown service or an operation that it does not permit
 */
export function planServiceCall(
  operation: ServiceOperation,
  id: string,
  life: ServiceLife | undefined,
): ServiceOperation | undefined {
  if (life === undefined) throw new Fault('unknown', `service "${id}" not defined`);
  const planned = plans[operation][life];
  if (planned === undefined) return undefined;
  const asked = operation === 'restart' && planned === 'start' ? planned : operation;
  if (!operationsOf(id).includes(asked)) {
    throw new Fault('unknown', `service "${id}" doesn't support ${asked} operation via API`);
  }
  return planned;
}

/** The remaining steps. A service that is ending is awaited, by a second stop, before it starts again. */
const plans = {
  start: { off: 'start', on: undefined, ending: 'restart' },
  stop: { off: undefined, on: 'stop', ending: 'stop' },
  restart: { off: 'start', on: 'restart', ending: 'restart' },
} as const satisfies Record<ServiceOperation, Record<ServiceLife, ServiceOperation | undefined>>;
