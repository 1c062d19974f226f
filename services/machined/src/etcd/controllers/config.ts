import { type Controller, destroyReady, exclusive, weak } from '@nodewright/controllers';
import { ConfigReader } from '@nodewright/machine-config';
import { etcdConfigs, machineConfigs } from '@nodewright/state/kinds';
import { configurationOf } from '../../base/controllers/configuration-of.ts';
import { sharedAddressesOf } from '../../base/domain/shared-addresses.ts';
import { etcdConfigFrom } from '../domain/etcd-config.ts';

/**
 * Publishes the etcd settings of the configuration on control planes. Source: Talos v1.14:
 * etcd.ConfigController.
 */
export function createEtcdConfigController(): Controller {
  return {
    name: 'etcd.ConfigController',
    inputs: [weak(machineConfigs), destroyReady(etcdConfigs)],
    outputs: [exclusive(etcdConfigs)],
    async reconcile(pass) {
      const configuration = await configurationOf(pass);
      const spec =
        configuration &&
        etcdConfigFrom(configuration.effective, sharedAddressesOf(new ConfigReader(configuration.documents)));
      await pass.replace(etcdConfigs, spec === undefined ? [] : [{ id: 'etcd', spec }]);
    },
  };
}
