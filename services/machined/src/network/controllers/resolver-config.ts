import { type Controller, shared, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { hostnameStatuses, machineConfigs, resolverSpecs } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import { resolverLayers } from '../domain/name-servers.ts';
import { inLayers } from './network-config.ts';

/** Source: Talos v1.14: network.ResolverConfigController. */
export function createResolverConfigController(): Controller {
  return {
    name: 'network.ResolverConfigController',
    inputs: [weak(machineConfigs, activeConfigId), weak(hostnameStatuses, hostnameStatuses.singleton)],
    outputs: [shared(resolverSpecs)],
    async reconcile(pass) {
      const config = (await configurationOf(pass))?.effective;
      const hostname = await pass.get(pointerTo(hostnameStatuses));
      const specs = resolverLayers(config, hostname?.spec.domainname ?? '');
      await pass.replace(
        inLayers(resolverSpecs),
        specs.map((spec) => ({ id: `${spec.layer}/resolvers`, spec })),
      );
    },
  };
}
