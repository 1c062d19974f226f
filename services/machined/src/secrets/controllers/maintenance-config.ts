import { ports } from '@nodewright/contract';
import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { maintenanceServiceConfigs, nodeAddresses, siderolinkConfigs } from '@nodewright/state/kinds';
import { plainAddresses } from '../domain/cert-sans.ts';
import { maintenanceConfig } from '../domain/maintenance-config.ts';

/**
 * Where a node without a configuration serves its API. Source: Talos v1.14:
 * runtime.MaintenanceConfigController.
 */
export function createMaintenanceConfigController(listenAddress: string): Controller {
  return {
    name: 'runtime.MaintenanceConfigController',
    inputs: [weak(siderolinkConfigs, siderolinkConfigs.singleton), weak(nodeAddresses, 'current')],
    outputs: [exclusive(maintenanceServiceConfigs)],
    async reconcile(pass) {
      const siderolink = await pass.get(pointerTo(siderolinkConfigs));
      const current = await pass.get(pointerTo(nodeAddresses, 'current'));
      const spec = maintenanceConfig({
        hasSiderolink: siderolink !== undefined,
        addresses: current === undefined ? [] : plainAddresses(current.spec),
        listenAddress,
        port: ports.apid,
      });
      await pass.replace(
        maintenanceServiceConfigs,
        spec === undefined ? [] : [{ id: maintenanceServiceConfigs.singleton, spec }],
      );
    },
  };
}
