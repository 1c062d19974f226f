import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { etcdEncryptionText } from '@nodewright/node-files';
import { pointerTo } from '@nodewright/state';
import { etcdEncryptionConfigs, kubernetesRootSecrets } from '@nodewright/state/kinds';

const root = pointerTo(kubernetesRootSecrets);

/** Publishes how the API server encrypts resources in etcd. Source: Talos v1.14: k8s.EtcdEncryptionConfigController. */
export function createEtcdEncryptionController(): Controller {
  return {
    name: 'k8s.EtcdEncryptionConfigController',
    inputs: [weak(kubernetesRootSecrets, root.id)],
    outputs: [exclusive(etcdEncryptionConfigs)],
    async reconcile(pass) {
      const secrets = (await pass.get(root))?.spec;
      const spec = secrets && { configuration: etcdEncryptionText(secrets) };
      await pass.replace(
        etcdEncryptionConfigs,
        spec === undefined ? [] : [{ id: etcdEncryptionConfigs.singleton, spec }],
      );
    },
  };
}
