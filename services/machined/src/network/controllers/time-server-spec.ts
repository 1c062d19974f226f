import { type Controller, exclusive, strong } from '@nodewright/controllers';
import { timeServerSpecs, timeServerStatuses } from '@nodewright/state/kinds';

/** The time servers in use. Source: Talos v1.14: network.TimeServerSpecController. */
export function createTimeServerSpecController(): Controller {
  return {
    name: 'network.TimeServerSpecController',
    inputs: [strong(timeServerSpecs)],
    outputs: [exclusive(timeServerStatuses)],
    async reconcile(pass) {
      const specs = await pass.list(timeServerSpecs);
      await pass.replace(
        timeServerStatuses,
        specs
          .filter(({ metadata }) => metadata.phase === 'running')
          .map(({ metadata, spec: { timeServers, useNTS } }) => ({
            id: metadata.id,
            spec: { timeServers, useNTS },
          })),
      );
    },
  };
}
