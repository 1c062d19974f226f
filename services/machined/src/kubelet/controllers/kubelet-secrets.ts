import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { ConfigReader, kubernetesIdentity } from '@nodewright/machine-config';
import { kubeletSecrets, machineConfigs } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import { kubeletSecretsFrom } from '../domain/bootstrap-kubeconfig.ts';

/** Publishes what the kubelet joins its cluster with. Source: Talos v1.14: secrets.KubeletController. */
export function createKubeletSecretsController(): Controller {
  return {
    name: 'secrets.KubeletController',
    inputs: [weak(machineConfigs, activeConfigId)],
    outputs: [exclusive(kubeletSecrets)],
    async reconcile(pass) {
      const configuration = await configurationOf(pass);
      const spec =
        configuration &&
        kubeletSecretsFrom(
          configuration.effective,
          kubernetesIdentity(new ConfigReader(configuration.documents)),
        );
      await pass.replace(kubeletSecrets, spec === undefined ? [] : [{ id: kubeletSecrets.singleton, spec }]);
    },
  };
}
