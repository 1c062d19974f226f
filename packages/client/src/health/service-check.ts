import type { ServiceInfo } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import { askEach, type HealthCheck, ok, skip } from './health-check.ts';

/** That a service runs and is well on every control plane. Skipped when none of them has it. */
export function serviceCheck(name: string, id: string): HealthCheck {
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
      for (const [address, service] of services) {
        const problem = problemOf(service);
        if (problem !== undefined) {
          throw new Fault('failed-precondition', `service "${id}" of node ${address} ${problem}`);
        }
      }
      return ok;
    },
  };
}

function problemOf(service: ServiceInfo | undefined): string | undefined {
  if (service === undefined) return 'is not there';
  const state = service.events?.events.at(-1)?.state ?? service.state;
  if (state !== 'Running') return `is ${state}, not Running`;
  return service.health?.healthy ? undefined : `is not healthy: ${service.health?.lastMessage ?? ''}`;
}
