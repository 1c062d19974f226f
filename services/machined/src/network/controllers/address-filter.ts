import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { machineConfigs, nodeAddressFilters, nodenames, nodeStatuses } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';

/** Filters for the addresses of pods and services. Source: Talos v1.14: k8s.AddressFilterController. */
export function createAddressFilterController(): Controller {
  return {
    name: 'k8s.AddressFilterController',
    inputs: [weak(machineConfigs, activeConfigId), weak(nodenames, nodenames.singleton), weak(nodeStatuses)],
    outputs: [exclusive(nodeAddressFilters)],
    async reconcile(pass) {
      const configuration = await configurationOf(pass);
      // Without a cluster there are no Kubernetes networks.
      if (configuration === undefined || !configuration.effective.isComplete) {
        await pass.replace(nodeAddressFilters, []);
        return;
      }
      const { podSubnets, serviceSubnets } = configuration.effective.cluster;
      const ofNodes = (await pass.list(nodeStatuses)).flatMap(({ spec }) => spec.podCIDRs);
      const subnets = [...new Set([...podSubnets, ...serviceSubnets, ...ofNodes])];
      await pass.replace(nodeAddressFilters, [
        { id: 'no-k8s', spec: { includeSubnets: [], excludeSubnets: subnets } },
        { id: 'only-k8s', spec: { includeSubnets: subnets, excludeSubnets: [] } },
      ]);
    },
  };
}
