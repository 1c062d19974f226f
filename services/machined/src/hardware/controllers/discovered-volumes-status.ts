import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import {
  devicesStatuses,
  discoveredVolumesStatuses,
  discoveryRefreshRequests,
  discoveryRefreshStatuses,
} from '@nodewright/state/kinds';

const firstRequest = 1;

/**
 * Requests a refresh of all devices once they are all known, and publishes when it is done. Source: Talos
 * v1.14: block.DiscoveredVolumesStatusController.
 */
export function discoveredVolumesStatusController(): Controller {
  return {
    name: 'block.DiscoveredVolumesStatusController',
    inputs: [
      weak(devicesStatuses, devicesStatuses.singleton),
      weak(discoveryRefreshStatuses, discoveryRefreshStatuses.singleton),
    ],
    outputs: [exclusive(discoveryRefreshRequests), exclusive(discoveredVolumesStatuses)],
    async reconcile(pass) {
      const devices = await pass.get(pointerTo(devicesStatuses));
      if (devices?.spec.ready !== true) return;
      await pass.put({ ...pointerTo(discoveryRefreshRequests), spec: { request: firstRequest } });
      const status = await pass.get(pointerTo(discoveryRefreshStatuses));
      await pass.put({
        ...pointerTo(discoveredVolumesStatuses),
        spec: { ready: status?.spec.request === firstRequest },
      });
    },
  };
}
