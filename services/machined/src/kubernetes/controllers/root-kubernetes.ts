import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { ConfigReader, kubernetesIdentity } from '@nodewright/machine-config';
import { kubernetesRootFrom } from '@nodewright/node-files';
import { kubernetesRootSecrets, machineConfigs } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';

/**
 * Publishes the authorities and keys of Kubernetes on control planes. Source: Talos v1.14:
 * secrets.RootKubernetesController.
 *
 * @param ownAddress address of the node's API server, set when other nodes share the host
 */
export function createRootKubernetesController(ownAddress: string | undefined): Controller {
  return {
    name: 'secrets.RootKubernetesController',
    inputs: [weak(machineConfigs, activeConfigId)],
    outputs: [exclusive(kubernetesRootSecrets)],
    async reconcile(pass) {
      const configuration = await configurationOf(pass);
      const spec =
        configuration &&
        kubernetesRootFrom(
          configuration.effective,
          kubernetesIdentity(new ConfigReader(configuration.documents)),
          ownAddress,
        );
      await pass.replace(
        kubernetesRootSecrets,
        spec === undefined ? [] : [{ id: kubernetesRootSecrets.singleton, spec }],
      );
    },
  };
}
