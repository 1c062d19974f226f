import { type Controller, shared, weak } from '@nodewright/controllers';
import { endpoints, machineConfigs } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import { configuredEndpoint } from '../domain/trustd-endpoints.ts';

/** Writes the control plane endpoint of the configuration. Source: Talos v1.14: k8s.StaticEndpointController. */
export function createStaticEndpointController(): Controller {
  return {
    name: 'k8s.StaticEndpointController',
    inputs: [weak(machineConfigs, activeConfigId)],
    outputs: [shared(endpoints)],
    async reconcile(pass) {
      const configuration = await configurationOf(pass);
      const spec = configuredEndpoint(configuration?.effective.cluster.endpoint ?? '');
      await pass.replace(endpoints, spec === undefined ? [] : [{ id: 'controlplane', spec }]);
    },
  };
}
