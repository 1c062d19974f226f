import type { ServiceInfo } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import { askEach, type HealthCheck, ok, skip } from './health-check.ts';

/**
 * That a service runs and is well on every control plane. Skipped when none of them has it.
 *
 * @param advice what the user can do when it does not, knowing the service on every control plane that has it
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
  if (service === undefined) return 'is not there';
  const state = stateOf(service);
  const { msg = '' } = service.events?.events.at(-1) ?? {};
  if (state !== 'Running') return `is ${state}, not Running${msg === '' ? '' : ` (${msg})`}`;
  return service.health?.healthy ? undefined : `is not healthy: ${service.health?.lastMessage ?? ''}`;
}

/** The state of the last thing that is known of it. */
export function stateOf(service: ServiceInfo): string {
  return service.events?.events.at(-1)?.state ?? service.state;
}
