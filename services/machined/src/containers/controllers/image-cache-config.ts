import { serviceIds } from '@nodewright/contract';
import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { imageCacheConfigs, machineConfigs, services } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';

/**
 * Writes whether the node has an image cache, and its folders: `preparing` until registryd is healthy. Nothing is copied from media
 * with which a machine was installed, so the copy is always `skipped`. Source: Talos v1.14: COSI resources, ImageCacheConfigs.
 *
 * @param roots the folders that exist now
 */
export function imageCacheConfigController(roots: () => readonly string[]): Controller {
  return {
    name: 'cri.ImageCacheConfigController',
    inputs: [weak(machineConfigs, activeConfigId), weak(services, serviceIds.registryd)],
    outputs: [exclusive(imageCacheConfigs)],
    async reconcile(pass) {
      const configuration = await configurationOf(pass);
      if (configuration === undefined) return pass.replace(imageCacheConfigs, []);
      const { imageCacheEnabled } = configuration.effective;
      const service = (await pass.get(pointerTo(services, serviceIds.registryd)))?.spec;
      const isServed = service?.running === true && service.healthy;
      const spec = {
        status: !imageCacheEnabled ? 'disabled' : isServed ? 'ready' : 'preparing',
        copyStatus: 'skipped',
        roots: imageCacheEnabled ? [...roots()] : [],
      } as const;
      await pass.replace(imageCacheConfigs, [{ id: imageCacheConfigs.singleton, spec }]);
    },
  };
}
