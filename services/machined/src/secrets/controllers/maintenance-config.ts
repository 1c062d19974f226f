import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { maintenanceServiceConfigs, nodeAddresses } from '@nodewright/state/kinds';
import { plainAddresses } from '../domain/cert-sans.ts';

/**
 * Where a node without a configuration serves its API. Talos would serve it on the address of SideroLink alone where that is set up. It
 * is not implemented here, and an address of that form is like any other. Source: Talos v1.14: runtime.MaintenanceConfigController.
 *
 * @param listenAddress `host:port`
 */
export function createMaintenanceConfigController(listenAddress: string): Controller {
  return {
    name: 'runtime.MaintenanceConfigController',
    inputs: [weak(nodeAddresses, 'current')],
    outputs: [exclusive(maintenanceServiceConfigs)],
    async reconcile(pass) {
      const current = await pass.get(pointerTo(nodeAddresses, 'current'));
      const reachableAddresses = current === undefined ? [] : plainAddresses(current.spec);
      await pass.replace(maintenanceServiceConfigs, [
        { id: maintenanceServiceConfigs.singleton, spec: { listenAddress, reachableAddresses } },
      ]);
    },
  };
}
