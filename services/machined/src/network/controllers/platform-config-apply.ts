import { type Controller, exclusive, type ReconcilePass, shared, weak } from '@nodewright/controllers';
import type { KindRef } from '@nodewright/state';
import {
  type AddressStatusSpec,
  addressSpecs,
  addressStatuses,
  hostnameSpecs,
  linkSpecs,
  operatorSpecs,
  type PlatformConfigSpec,
  platformConfigs,
  platformMetadatas,
  probeSpecs,
  resolverSpecs,
  routeSpecs,
  timeServerSpecs,
} from '@nodewright/state/kinds';
import { withPrefixLength } from '../../base/domain/prefix.ts';
import { addressId, operatorId, probeId, routeId } from '../domain/network-ids.ts';
import { externalLinkName } from '../domain/node-addresses.ts';
import { inLayers } from './network-config.ts';

/**
 * Splits the platform's configuration into the specs of each kind: `active` has precedence over `cached`, the
 * active one of the last boot. Source: Talos v1.14: network.PlatformConfigApplyController.
 */
export function createPlatformConfigApplyController(): Controller {
  return {
    name: 'network.PlatformConfigApplyController',
    inputs: [weak(platformConfigs)],
    outputs: [
      exclusive(platformMetadatas),
      ...[addressSpecs, addressStatuses, hostnameSpecs, linkSpecs, operatorSpecs].map(shared),
      ...[probeSpecs, resolverSpecs, routeSpecs, timeServerSpecs].map(shared),
    ],
    async reconcile(pass) {
      const configs = await pass.list(platformConfigs);
      const config = (configs.find(({ metadata }) => metadata.id === 'active') ?? configs[0])?.spec;
      if (config === undefined) return;
      await put(pass, addressSpecs, config.addresses, ({ linkName, address }) =>
        addressId(linkName, address),
      );
      await put(pass, linkSpecs, config.links, ({ name }) => name);
      await put(pass, routeSpecs, config.routes, routeId);
      await put(pass, hostnameSpecs, config.hostnames, () => hostnameSpecs.singleton);
      await put(pass, resolverSpecs, config.resolvers, () => resolverSpecs.singleton);
      await put(pass, timeServerSpecs, config.timeServers, () => timeServerSpecs.singleton);
      await put(pass, operatorSpecs, config.operators, operatorId);
      await put(pass, probeSpecs, config.probes, probeId);
      await pass.replace(addressStatuses, externalAddresses(config));
      const { metadata } = config;
      await pass.replace(
        platformMetadatas,
        metadata === undefined ? [] : [{ id: platformMetadatas.singleton, spec: metadata }],
      );
    },
  };
}

async function put<S>(
  pass: ReconcilePass,
  kind: KindRef<S>,
  specs: readonly NoInfer<S>[],
  idOf: (spec: NoInfer<S>) => string,
): Promise<void> {
  // Of several with one id the last one counts.
  const byId = new Map(specs.map((spec) => [`platform/${idOf(spec)}`, spec]));
  await pass.replace(
    inLayers(kind),
    [...byId].map(([id, spec]) => ({ id, spec })),
  );
}

/** External addresses of this machine, which no link has. */
function externalAddresses({ externalIPs }: PlatformConfigSpec): { id: string; spec: AddressStatusSpec }[] {
  return externalIPs.map((ip) => {
    const address = withPrefixLength(ip);
    return {
      id: addressId(externalLinkName, address),
      spec: {
        ...{ address, local: '', broadcast: '', anycast: '', multicast: '', linkIndex: 0 },
        ...{ linkName: externalLinkName, family: ip.includes(':') ? 'inet6' : 'inet4', scope: 'global' },
        ...{ flags: [], priority: 0 },
      },
    };
  });
}
