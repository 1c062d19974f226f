import { type Controller, exclusive, strong } from '@nodewright/controllers';
import { hostnameSpecs, hostnameStatuses } from '@nodewright/state/kinds';
import type { HostName } from '../domain/hostname.ts';

/** Sets the name that the kernel has. To be given on a machine of its own only: elsewhere it is that of others. */
export interface HostnameEffect {
  /** @throws Fault when the kernel refuses */
  set(name: HostName): Promise<void>;
}

/**
 * How the node is called. Source: Talos v1.14: network.HostnameSpecController.
 *
 * @param effect undefined: the name of the kernel is left alone
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
      // First the deed, then the word: who reads the status may rely on it.
      for (const { spec } of wanted) await effect?.set(spec);
      await pass.replace(hostnameStatuses, wanted);
    },
  };
}
