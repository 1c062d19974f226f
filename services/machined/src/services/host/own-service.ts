import { serviceIds } from '@nodewright/contract';
import {
  createInProcessRunner,
  createUnixProbe,
  defaultHealthTimes,
  type ServiceDefinition,
} from '@nodewright/services';

/** machined itself in the list of services: healthy while its socket accepts connections. */
export function ownService(socket: string): ServiceDefinition {
  return {
    id: serviceIds.machined,
    runner: createInProcessRunner(serviceIds.machined),
    health: { check: createUnixProbe(socket), ...defaultHealthTimes },
  };
}
