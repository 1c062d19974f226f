import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { hostnameStatuses, machineConfigs, nodeAddresses, staticHosts } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import { staticHostAddresses } from '../domain/static-hosts.ts';

/** Names that resolve without a name server. Source: Talos v1.14: network.StaticHostController. */
export function createStaticHostController(): Controller {
  return {
    name: 'network.StaticHostController',
    inputs: [
      weak(machineConfigs, activeConfigId),
      weak(hostnameStatuses, hostnameStatuses.singleton),
      weak(nodeAddresses, 'current'),
    ],
    outputs: [exclusive(staticHosts)],
    async reconcile(pass) {
      const entries = staticHostAddresses({
        configured: (await configurationOf(pass))?.effective.staticHosts ?? [],
        name: (await pass.get(pointerTo(hostnameStatuses)))?.spec,
        addresses: (await pass.get(pointerTo(nodeAddresses, 'current')))?.spec.addresses ?? [],
      });
      await pass.replace(
        staticHosts,
        [...entries].map(([id, addresses]) => ({ id, spec: { addresses } })),
      );
    },
  };
}
