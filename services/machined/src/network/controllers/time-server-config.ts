import { type Controller, shared, weak } from '@nodewright/controllers';
import { machineConfigs, timeServerSpecs } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import { timeServerLayers } from '../domain/time-server-layers.ts';
import { inLayers } from './network-config.ts';

/** Source: Talos v1.14: network.TimeServerConfigController. */
export function createTimeServerConfigController(): Controller {
  return {
    name: 'network.TimeServerConfigController',
    inputs: [weak(machineConfigs, activeConfigId)],
    outputs: [shared(timeServerSpecs)],
    async reconcile(pass) {
      const specs = timeServerLayers((await configurationOf(pass))?.effective);
      await pass.replace(
        inLayers(timeServerSpecs),
        specs.map((spec) => ({ id: `${spec.layer}/timeservers`, spec })),
      );
    },
  };
}
