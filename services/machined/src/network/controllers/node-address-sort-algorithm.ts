import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { machineConfigs, nodeAddressSortAlgorithms } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';

/** The order of node addresses. Source: Talos v1.14: network.NodeAddressSortAlgorithmController. */
export function createNodeAddressSortAlgorithmController(): Controller {
  return {
    name: 'network.NodeAddressSortAlgorithmController',
    inputs: [weak(machineConfigs, activeConfigId)],
    outputs: [exclusive(nodeAddressSortAlgorithms)],
    async reconcile(pass) {
      const algorithm = (await configurationOf(pass))?.effective.nodeAddressSortAlgorithm ?? 'v1';
      await pass.replace(nodeAddressSortAlgorithms, [
        { id: nodeAddressSortAlgorithms.singleton, spec: { algorithm } },
      ]);
    },
  };
}
