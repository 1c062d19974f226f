import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { ConfigReader } from '@nodewright/machine-config';
import { pointerTo } from '@nodewright/state';
import { machineConfigs, nodeAddresses, nodeIpConfigs, nodeIps } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import { sharedAddressesOf } from '../../base/domain/shared-addresses.ts';
import { chooseNodeIps, nodeIpConfigFrom } from '../domain/node-ips.ts';

/** Publishes from which subnets the addresses of the Kubernetes node are chosen. Source: Talos v1.14: k8s.NodeIPConfigController. */
export function createNodeIpConfigController(): Controller {
  return {
    name: 'k8s.NodeIPConfigController',
    inputs: [weak(machineConfigs, activeConfigId)],
    outputs: [exclusive(nodeIpConfigs)],
    async reconcile(pass) {
      const configuration = await configurationOf(pass);
      if (configuration?.effective.isComplete !== true) return pass.replace(nodeIpConfigs, []);
      const shared = sharedAddressesOf(new ConfigReader(configuration.documents));
      const spec = nodeIpConfigFrom(configuration.effective, shared);
      await pass.replace(nodeIpConfigs, [{ id: nodeIpConfigs.singleton, spec }]);
    },
  };
}

const config = pointerTo(nodeIpConfigs);
const routed = pointerTo(nodeAddresses, 'routed-no-k8s');

/** Publishes the addresses that the kubelet registers. Source: Talos v1.14: k8s.NodeIPController. */
export function createNodeIpController(): Controller {
  return {
    name: 'k8s.NodeIPController',
    inputs: [weak(nodeIpConfigs, config.id), weak(nodeAddresses, routed.id)],
    outputs: [exclusive(nodeIps)],
    async reconcile(pass) {
      const subnets = (await pass.get(config))?.spec;
      if (subnets === undefined) return pass.replace(nodeIps, []);
      const addresses = (await pass.get(routed))?.spec.addresses;
      if (addresses === undefined) return;
      const chosen = chooseNodeIps(subnets, addresses);
      // A kubelet without an address would choose one itself, so wait for one that matches.
      if (chosen.length === 0) {
        pass.log.warn('no address of the node matches the subnets for the Kubernetes node');
        return;
      }
      await pass.replace(nodeIps, [{ id: nodeIps.singleton, spec: { addresses: chosen } }]);
    },
  };
}
