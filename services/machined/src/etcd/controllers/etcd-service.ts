import { leaveAsIs, type ServiceController, serviceController, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { etcdSpecs, machineConfigs, services } from '@nodewright/state/kinds';
import { configurationOf } from '../../base/controllers/configuration-of.ts';
import { wantsEtcd } from '../domain/etcd-config.ts';
import { etcdSettings } from '../domain/etcd-settings.ts';
import type { EtcdService } from '../service/etcd-service.ts';

const spec = pointerTo(etcdSpecs);

/**
 * Starts etcd once the configuration makes the node a member, and restarts it when the settings that etcd
 * reads at startup change. It never stops etcd: a member leaves by `talosctl etcd leave` or a reset, never
 * through a mistake in a configuration.
 */
export function createEtcdServiceController(
  service: Pick<EtcdService, 'start' | 'stop' | 'launchedWith' | 'restart' | 'usesImage'>,
): ServiceController {
  return serviceController({
    name: 'etcd.ServiceController',
    inputs: [weak(machineConfigs), weak(etcdSpecs, spec.id), weak(services, 'etcd')],
    async wanted(pass) {
      const configuration = await configurationOf(pass);
      if (configuration === undefined || !wantsEtcd(configuration.effective)) return leaveAsIs;
      const current = (await pass.get(spec))?.spec;
      return current === undefined ? {} : { settings: etcdSettings(current, service.usesImage) };
    },
    service,
  });
}
