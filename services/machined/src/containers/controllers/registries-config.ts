import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { registryConfigFrom } from '@nodewright/node-files';
import { pointerTo } from '@nodewright/state';
import { imageCacheConfigs, machineConfigs, registryConfigs } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';

/**
 * Writes the mirrors, credentials and TLS settings of registries. While the image cache is ready, it is the first mirror of every
 * registry. Source: Talos v1.14: COSI resources, RegistryConfigs; image cache.
 *
 * @param imageCacheUrl where registryd serves the images of the node
 */
export function registriesConfigController(imageCacheUrl: string): Controller {
  return {
    name: 'cri.RegistriesConfigController',
    inputs: [weak(machineConfigs, activeConfigId), weak(imageCacheConfigs, imageCacheConfigs.singleton)],
    outputs: [exclusive(registryConfigs)],
    async reconcile(pass) {
      const configuration = await configurationOf(pass);
      if (configuration === undefined) return pass.replace(registryConfigs, []);
      const cache = (await pass.get(pointerTo(imageCacheConfigs)))?.spec;
      const spec = registryConfigFrom(
        configuration.effective,
        cache?.status === 'ready' ? imageCacheUrl : undefined,
      );
      await pass.replace(registryConfigs, [{ id: registryConfigs.singleton, spec }]);
    },
  };
}
