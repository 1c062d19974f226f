import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import {
  etcFileStatuses,
  hostnameStatuses,
  networkStatuses,
  nodeAddresses,
  probeStatuses,
  routeStatuses,
} from '@nodewright/state/kinds';
import { networkStatusOf } from '../domain/network-status.ts';

/**
 * Which parts of the network are ready.
 *
 * @param isLocal the nodes of the cluster are on this host, so that no route has to lead out of it Source:
 * Talos v1.14: network.StatusController.
 */
export function createNetworkStatusController(isLocal: boolean): Controller {
  return {
    name: 'network.StatusController',
    inputs: [
      weak(nodeAddresses, 'current'),
      weak(routeStatuses),
      weak(hostnameStatuses),
      weak(etcFileStatuses),
      weak(probeStatuses),
    ],
    outputs: [exclusive(networkStatuses)],
    async reconcile(pass) {
      const addresses = (await pass.get(pointerTo(nodeAddresses, 'current')))?.spec.addresses ?? [];
      const specs = async <S>(kind: Parameters<typeof pass.list<S>>[0]) =>
        (await pass.list(kind)).map(({ spec }) => spec);
      const spec = networkStatusOf({
        ...{ addresses, isLocal, probes: await specs(probeStatuses), routes: await specs(routeStatuses) },
        hasHostname: (await pass.list(hostnameStatuses)).length > 0,
        etcFiles: (await pass.list(etcFileStatuses)).map(({ metadata }) => metadata.id),
      });
      await pass.replace(networkStatuses, [{ id: networkStatuses.singleton, spec }]);
    },
  };
}
