import { serviceIds } from '@nodewright/contract';
import {
  type FollowingService,
  type ServiceController,
  serviceController,
  weak,
} from '@nodewright/controllers';
import { machineConfigs } from '@nodewright/state/kinds';
import { configurationOf } from '../../base/controllers/configuration-of.ts';
import { isControlPlaneType } from '../../base/resources/node-view.ts';
import type { ChildDaemon } from '../domain/daemon-command.ts';

/** The daemons of every node, with the names of their controllers. */
const everywhere: Partial<Record<ChildDaemon, string>> = {
  [serviceIds.apid]: 'runtime.ApidServiceController',
  [serviceIds.udevdBridge]: 'runtime.UdevdBridgeServiceController',
};

/**
 * Keeps a daemon running: apid and udevd-bridge on every node, trustd while the configuration makes the node a control plane, and
 * registryd while the configuration enables the image cache. All but udevd-bridge watch their settings in the node's resources themselves,
 * and udevd-bridge has none, so a change of settings does not restart
 * them.
 */
export function createDaemonServiceController(
  daemon: ChildDaemon,
  service: FollowingService,
): ServiceController {
  if (daemon === serviceIds.registryd)
    return serviceController({
      name: 'cri.RegistrydServiceController',
      inputs: [weak(machineConfigs)],
      async wanted(pass) {
        const configuration = await configurationOf(pass);
        return configuration?.effective.imageCacheEnabled ? {} : undefined;
      },
      service,
    });
  const name = everywhere[daemon];
  return name !== undefined
    ? serviceController({ name, inputs: [], wanted: () => ({}), service })
    : serviceController({
        name: 'runtime.TrustdServiceController',
        inputs: [weak(machineConfigs)],
        async wanted(pass) {
          const configuration = await configurationOf(pass);
          return isControlPlaneType(configuration?.effective.machineType) ? {} : undefined;
        },
        service,
      });
}
