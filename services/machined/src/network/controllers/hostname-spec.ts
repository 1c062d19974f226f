import { type Controller, exclusive, strong } from '@nodewright/controllers';
import type { HostName } from '@nodewright/node-files';
import { hostnameSpecs, hostnameStatuses } from '@nodewright/state/kinds';

/** Sets the kernel's hostname. Only for a machine of its own, because a container or process shares it. */
export interface HostnameEffect {
  /** @throws Fault when the kernel refuses */
  set(name: HostName): Promise<void>;
}

/**
 * Applies and publishes the hostname. Source: Talos v1.14: network.HostnameSpecController.
 *
 * @param effect undefined: the kernel's hostname is not changed
 */
export function createHostnameSpecController(effect?: HostnameEffect): Controller {
  return {
    name: 'network.HostnameSpecController',
    inputs: [strong(hostnameSpecs)],
    outputs: [exclusive(hostnameStatuses)],
    async reconcile(pass) {
      const wanted = (await pass.list(hostnameSpecs))
        .filter(({ metadata }) => metadata.phase === 'running')
        .map(({ metadata, spec: { hostname, domainname } }) => ({
          id: metadata.id,
          spec: { hostname, domainname },
        }));
      // Apply before publishing, so that the status is always true.
      for (const { spec } of wanted) await effect?.set(spec);
      await pass.replace(hostnameStatuses, wanted);
    },
  };
}
