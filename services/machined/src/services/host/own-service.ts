import { serviceIds } from '@nodewright/contract';
import { createInProcessRunner } from '../domain/in-process-runner.ts';
import { createUnixProbe } from './probe-connection.ts';
import { defaultHealthTimes, type ServiceDefinition } from './service.ts';

/** machined itself in the list of services: healthy while its socket accepts connections. */
export function ownService(socket: string): ServiceDefinition {
  return {
    id: serviceIds.machined,
    runner: createInProcessRunner(serviceIds.machined),
    health: { check: createUnixProbe(socket), ...defaultHealthTimes },
  };
}
