import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { expectedNodename, kubeletArguments, kubeletConfiguration } from '@nodewright/node-files';
import { pointerTo } from '@nodewright/state';
import { kubeletConfigs, kubeletSpecs, machineTypes, nodeIps, nodenames } from '@nodewright/state/kinds';

const config = pointerTo(kubeletConfigs);
const nodename = pointerTo(nodenames);
const addresses = pointerTo(nodeIps);
const type = pointerTo(machineTypes);

/**
 * Publishes how the kubelet is started, once the node has a name and addresses. Settings that the configuration must not set fail
 * the pass: the kubelet keeps its earlier ones. Source: Talos v1.14: k8s.KubeletSpecController.
 *
 * @param limitsPods whether the node can limit processor and memory of pods
 */
export function createKubeletSpecController(limitsPods: boolean): Controller {
  return {
    name: 'k8s.KubeletSpecController',
    inputs: [
      weak(kubeletConfigs, config.id),
      weak(nodenames, nodename.id),
      weak(nodeIps, addresses.id),
      weak(machineTypes, type.id),
    ],
    outputs: [exclusive(kubeletSpecs)],
    async reconcile(pass) {
      const settings = (await pass.get(config))?.spec;
      if (settings === undefined) return pass.replace(kubeletSpecs, []);
      const name = (await pass.get(nodename))?.spec.nodename;
      const own = (await pass.get(addresses))?.spec.addresses;
      const machineType = (await pass.get(type))?.spec;
      if (name === undefined || own === undefined || machineType === undefined) return;
      const isControlPlane = machineType === 'controlplane' || machineType === 'init';
      const spec = {
        image: settings.image,
        args: kubeletArguments(settings, { nodename: name, addresses: own }),
        extraMounts: settings.extraMounts,
        expectedNodename: expectedNodename(settings, name),
        config: kubeletConfiguration(settings, { isControlPlane, limitsPods }),
        credentialProviderConfig: settings.credentialProviderConfig,
      };
      await pass.replace(kubeletSpecs, [{ id: kubeletSpecs.singleton, spec }]);
    },
  };
}
