import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { machineConfigs, osRootSecrets } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import { osRootFrom } from '../domain/os-root.ts';

/** The root of trust from the active configuration. Source: Talos v1.14: secrets.RootOSController. */
export function createRootOsController(): Controller {
  return {
    name: 'secrets.RootOSController',
    inputs: [weak(machineConfigs, activeConfigId)],
    outputs: [exclusive(osRootSecrets)],
    async reconcile(pass) {
      const configuration = await configurationOf(pass);
      const spec = configuration && osRootFrom(configuration.effective);
      await pass.replace(osRootSecrets, spec === undefined ? [] : [{ id: osRootSecrets.singleton, spec }]);
    },
  };
}
