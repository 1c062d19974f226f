import { type Controller, exclusive, shared, weak } from '@nodewright/controllers';
import { addressSpecs, hostDnsConfigs, machineConfigs } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import { addressId } from '../domain/network-ids.ts';
import { hostDnsAddress } from '../domain/node-addresses.ts';
import { inLayers } from './network-config.ts';

const listenAddress = '127.0.0.53:53';

/**
 * Whether the host's resolver should listen, and where.
 *
 * @param hasResolver false when the node has no resolver, whatever its configuration Source: Talos v1.14:
 * network.HostDNSConfigController.
 */
export function createHostDnsConfigController(hasResolver: boolean): Controller {
  return {
    name: 'network.HostDNSConfigController',
    inputs: [weak(machineConfigs, activeConfigId)],
    outputs: [exclusive(hostDnsConfigs), shared(addressSpecs)],
    async reconcile(pass) {
      const config = (await configurationOf(pass))?.effective.hostDNS;
      const isEnabled = hasResolver && (config?.enabled ?? false);
      const isForwarding = isEnabled && (config?.forwardKubeDNSToHost ?? false);
      const servicePrefix = `${hostDnsAddress}/32`;
      await pass.replace(hostDnsConfigs, [
        {
          id: hostDnsConfigs.singleton,
          spec: {
            enabled: isEnabled,
            listenAddresses: isEnabled
              ? [listenAddress, ...(isForwarding ? [`${hostDnsAddress}:53`] : [])]
              : [],
            serviceHostDNSAddress: isForwarding ? hostDnsAddress : '',
            resolveMemberNames: isEnabled && (config?.resolveMemberNames ?? false),
            serviceHostDNSAddressV6: '',
          },
        },
      ]);
      const id = `operator/${addressId('lo', servicePrefix)}`;
      await pass.replace(
        inLayers(addressSpecs),
        isForwarding
          ? [
              {
                id,
                spec: {
                  ...{ address: servicePrefix, linkName: 'lo', family: 'inet4', scope: 'host' },
                  ...{ flags: ['permanent'], announceWithARP: false, priority: 0, layer: 'operator' },
                },
              },
            ]
          : [],
      );
    },
  };
}
