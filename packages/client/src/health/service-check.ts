import type { ServiceInfo } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import { askEach, type HealthCheck, ok, skip } from './health-check.ts';

/**
 * Creates a check that a service is running and healthy on every control plane. It is skipped when no control
 * plane has the service.
 *
 * @param advice returns what the user can do about a failure, given the service on each control plane that
 * has it
 */
export function serviceCheck(
  name: string,
  id: string,
  advice: (services: readonly ServiceInfo[]) => string | undefined = () => undefined,
): HealthCheck {
  return {
    name,
    async run(cluster, signal) {
      const { controlPlanes } = cluster.nodes;
      const services = await askEach(cluster, controlPlanes, async ({ machine }) => {
        const { messages } = await machine.serviceList({}, { signal });
        return messages[0]?.services.find((service) => service.id === id);
      });
      if ([...services.values()].every((service) => service === undefined)) {
        return skip(`no control plane has the service ${id}`);
      }
      const advised = advice([...services.values()].filter((service) => service !== undefined));
      for (const [address, service] of services) {
        const problem = problemOf(service);
        if (problem === undefined) continue;
        const text = `service "${id}" of node ${address} ${problem}`;
        throw new Fault('failed-precondition', advised === undefined ? text : `${text}: ${advised}`);
      }
      return ok;
    },
  };
}

function problemOf(service: ServiceInfo | undefined): string | undefined {
  if (service === undefined) return 'is missing';
  const state = stateOf(service);
  const { msg = '' } = service.events?.events.at(-1) ?? {};
  if (state !== 'Running') return `is ${state}, not Running${msg === '' ? '' : ` (${msg})`}`;
  return service.health?.healthy ? undefined : `is not healthy: ${service.health?.lastMessage ?? ''}`;
}

/** The state in the latest event of the service. */
export function stateOf(service: ServiceInfo): string {
  return service.events?.events.at(-1)?.state ?? service.state;
}
