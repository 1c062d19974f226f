import { serviceIds } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';

/** What the API can be asked to do with a service. */
export type ServiceOperation = 'start' | 'stop' | 'restart';

/** Where a service is in its life: off before its first start and after its end, ending while it is being stopped. */
export type ServiceLife = 'off' | 'on' | 'ending';

const everyOperation: readonly ServiceOperation[] = ['start', 'stop', 'restart'];
const extensionPrefix = 'ext-';

/** Whether a node may have a service of that name: one of the system's, or an extension's. Source: Talos v1.14: services. */
export function isNodeService(id: string): boolean {
  return (Object.values(serviceIds) as string[]).includes(id) || id.startsWith(extensionPrefix);
}

/** What the API may do with the service while that changes anything. Source: Talos v1.14: services, API control. */
export function operationsOf(id: string): readonly ServiceOperation[] {
  if (id.startsWith(extensionPrefix)) return everyOperation;
  // A node that has stopped its kubelet cannot be told to start it by Kubernetes any more.
  return id === serviceIds.kubelet ? ['start', 'restart'] : [];
}

/**
 * What is to be done when the API asks for `operation`; undefined when the service is as wanted already, which anybody
 * may be told of any service. To restart one that is off is to start it.
 *
 * @param life undefined: there is no such service
 * @throws Fault `unknown`, as upstream does, for a service that is not there or may not be touched
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

/** What is left to do. One that is ending is waited for, by a second stop, before it starts again. */
const plans = {
  start: { off: 'start', on: undefined, ending: 'restart' },
  stop: { off: undefined, on: 'stop', ending: 'stop' },
  restart: { off: 'start', on: 'restart', ending: 'restart' },
} as const satisfies Record<ServiceOperation, Record<ServiceLife, ServiceOperation | undefined>>;
