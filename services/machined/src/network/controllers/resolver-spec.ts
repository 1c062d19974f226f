import { type Controller, exclusive, strong } from '@nodewright/controllers';
import { resolverSpecs, resolverStatuses } from '@nodewright/state/kinds';

/** The name servers in use. Source: Talos v1.14: network.ResolverSpecController. */
export function createResolverSpecController(): Controller {
  return {
    name: 'network.ResolverSpecController',
    inputs: [strong(resolverSpecs)],
    outputs: [exclusive(resolverStatuses)],
    async reconcile(pass) {
      const specs = await pass.list(resolverSpecs);
      await pass.replace(
        resolverStatuses,
        specs
          .filter(({ metadata }) => metadata.phase === 'running')
          .map(({ metadata, spec: { dnsServers, nameServers, searchDomains } }) => ({
            id: metadata.id,
            spec: { dnsServers, nameServers, searchDomains },
          })),
      );
    },
  };
}
