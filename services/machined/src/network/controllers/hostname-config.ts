import { type Controller, shared, weak } from '@nodewright/controllers';
import { addressHostname, parseHostname, stableHostname } from '@nodewright/node-files';
import { pointerTo } from '@nodewright/state';
import {
  type HostnameSpecSpec,
  hostnameSpecs,
  identities,
  machineConfigs,
  nodeAddresses,
} from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import { inLayers } from './network-config.ts';

/**
 * The hostname from the node itself and from its configuration. Source: Talos v1.14:
 * network.HostnameConfigController.
 */
export function createHostnameConfigController(): Controller {
  return {
    name: 'network.HostnameConfigController',
    inputs: [
      weak(machineConfigs, activeConfigId),
      weak(nodeAddresses, 'default'),
      weak(identities, identities.singleton),
    ],
    outputs: [shared(hostnameSpecs)],
    async reconcile(pass) {
      const hostname = (await configurationOf(pass))?.effective.hostname;
      const [address] = (await pass.get(pointerTo(nodeAddresses, 'default')))?.spec.addresses ?? [];
      const nodeId = (await pass.get(pointerTo(identities)))?.spec.nodeId;
      const made = {
        stable: nodeId && stableHostname(nodeId),
        off: undefined,
        address: address && addressHostname(address),
      }[hostname?.auto ?? 'address'];
      const specs: HostnameSpecSpec[] = [];
      if (made) specs.push({ ...parseHostname(made), layer: 'default' });
      if (hostname?.hostname) specs.push({ ...parseHostname(hostname.hostname), layer: 'configuration' });
      await pass.replace(
        inLayers(hostnameSpecs),
        specs.map((spec) => ({ id: `${spec.layer}/hostname`, spec })),
      );
    },
  };
}
