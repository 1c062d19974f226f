import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import type { ServiceManager } from '@nodewright/services';
import { planServiceCall, type ServiceOperation } from '../domain/service-control.ts';

/** The functions of the service manager that these calls use. */
export type ControlledServices = Pick<ServiceManager, 'lifeOf' | 'start' | 'stop'>;

/**
 * ServiceStart, ServiceStop and ServiceRestart. A start answers at once, a stop when the service is down.
 * Only the named service is affected, even if others depend on it.
 */
export function createServiceControl(
  services: ControlledServices,
): Pick<MachineServiceImplementation, 'serviceStart' | 'serviceStop' | 'serviceRestart'> {
  const call = async (operation: ServiceOperation, id: string) => {
    const planned = planServiceCall(operation, id, services.lifeOf(id));
    if (planned === 'stop' || planned === 'restart') await services.stop([id]);
    if (planned === 'start' || planned === 'restart') services.start([id]);
    return { messages: [{ resp: `Service "${id}" ${done[operation]}` }] };
  };
  return {
    serviceStart: ({ id }) => call('start', id),
    serviceStop: ({ id }) => call('stop', id),
    serviceRestart: ({ id }) => call('restart', id),
  };
}

/** Source: Talos v1.14: ServiceStart, ServiceStop, ServiceRestart, texts. */
const done: Readonly<Record<ServiceOperation, string>> = {
  start: 'started',
  stop: 'stopped',
  restart: 'restarted',
};
