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
 * Has all devices looked at once more when they are all known, and says when that is done.
 * Source: Talos v1.14: block.DiscoveredVolumesStatusController.
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
