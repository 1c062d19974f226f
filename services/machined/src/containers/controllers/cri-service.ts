import {
  type FollowingService,
  leaveAsIs,
  type ServiceController,
  serviceController,
  weak,
} from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { registryConfigs } from '@nodewright/state/kinds';

/**
 * Starts containerd once there is a configuration. It stays when the configuration changes: containerd reads the settings of
 * registries at each pull, and its other settings do not change. Source: Talos v1.14: services, cri.
 */
export function createCriServiceController(service: FollowingService): ServiceController {
  return serviceController({
    name: 'cri.ServiceController',
    inputs: [weak(registryConfigs, registryConfigs.singleton)],
    wanted: async (pass) => ((await pass.get(pointerTo(registryConfigs))) === undefined ? leaveAsIs : {}),
    service,
  });
}
