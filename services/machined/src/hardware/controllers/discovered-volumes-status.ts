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
    inputs: [weak(devicesStatuses, 'devices'), weak(discoveryRefreshStatuses, 'refresh')],
    outputs: [exclusive(discoveryRefreshRequests), exclusive(discoveredVolumesStatuses)],
    async reconcile(pass) {
      const devices = await pass.get(pointerTo(devicesStatuses, 'devices'));
      if (devices?.spec.ready !== true) return;
      await pass.put({ ...pointerTo(discoveryRefreshRequests, 'refresh'), spec: { request: firstRequest } });
      const status = await pass.get(pointerTo(discoveryRefreshStatuses, 'refresh'));
      await pass.put({
        ...pointerTo(discoveredVolumesStatuses, 'discovered-volumes-status'),
        spec: { ready: status?.spec.request === firstRequest },
      });
    },
  };
}
