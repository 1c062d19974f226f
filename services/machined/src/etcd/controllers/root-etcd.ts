import { type Controller, destroyReady, exclusive, weak } from '@nodewright/controllers';
import { etcdRootSecrets, machineConfigs } from '@nodewright/state/kinds';
import { configurationOf } from '../../base/controllers/configuration-of.ts';
import { wantsEtcd } from '../domain/etcd-config.ts';

/** Publishes the CA of etcd on control planes. Source: Talos v1.14: secrets.RootEtcdController. */
export function createRootEtcdController(): Controller {
  return {
    name: 'secrets.RootEtcdController',
    inputs: [weak(machineConfigs), destroyReady(etcdRootSecrets)],
    outputs: [exclusive(etcdRootSecrets)],
    async reconcile(pass) {
      const config = (await configurationOf(pass))?.effective;
      const ca = config !== undefined && wantsEtcd(config) ? config.etcd.ca : undefined;
      const spec = ca && { etcdCA: { crt: ca.certificate, key: ca.key } };
      await pass.replace(etcdRootSecrets, spec === undefined ? [] : [{ id: 'etcd', spec }]);
    },
  };
}
