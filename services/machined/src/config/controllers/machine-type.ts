import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { machineConfigs, machineTypes } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';

/**
 * Publishes the machine type of the active configuration. Source: Talos v1.14: config.MachineTypeController.
 */
export function createMachineTypeController(): Controller {
  return {
    name: 'config.MachineTypeController',
    inputs: [weak(machineConfigs, activeConfigId)],
    outputs: [exclusive(machineTypes)],
    async reconcile(pass) {
      const type = (await configurationOf(pass))?.effective.machineType ?? 'unknown';
      await pass.replace(machineTypes, type === 'unknown' ? [] : [{ id: 'machine-type', spec: type }]);
    },
  };
}
