import { type Controller, exclusive, strong } from '@nodewright/controllers';
import { hostnameSpecs, hostnameStatuses } from '@nodewright/state/kinds';

/**
 * How the node is called. Where the kernel has a name of its own it is left alone: the name of the host, or that of the
 * container, is set by whoever made them. Source: Talos v1.14: network.HostnameSpecController.
 */
export function createHostnameSpecController(): Controller {
  return {
    name: 'network.HostnameSpecController',
    inputs: [strong(hostnameSpecs)],
    outputs: [exclusive(hostnameStatuses)],
    async reconcile(pass) {
      const specs = await pass.list(hostnameSpecs);
      await pass.replace(
        hostnameStatuses,
        specs
          .filter(({ metadata }) => metadata.phase === 'running')
          .map(({ metadata, spec: { hostname, domainname } }) => ({
            id: metadata.id,
            spec: { hostname, domainname },
          })),
      );
    },
  };
}
