import { parseHostname } from '@nodewright/node-files';
import type { AddressSpecSpec, PlatformConfigSpec } from '@nodewright/state/kinds';
import type { NodeFacts } from '../../base/domain/node-facts.ts';
import { withPrefixLength } from '../../base/domain/prefix.ts';
import { platformResolvers } from './name-servers.ts';
import type { PlatformNetwork } from './platform-network.ts';

export interface PlatformFacts extends Pick<NodeFacts, 'world' | 'addresses'> {
  /** Empty when the platform gave none. */
  readonly hostname: string;
  /** The environment's `/etc/resolv.conf`; empty when there is none. */
  readonly resolvConf: string;
  /** Empty if unknown. */
  readonly instanceType: string;
  /** What META says of the network of a machine. */
  readonly kept?: PlatformNetwork | undefined;
}

/** The settings from the creator of the node. Source: Talos v1.14: COSI resources, PlatformConfigs. */
export function platformConfigOf(facts: PlatformFacts): PlatformConfigSpec {
  const { world, hostname, addresses, instanceType } = facts;
  const resolvers = platformResolvers(facts.resolvConf);
  return {
    // In other worlds the kernel has them already, from the creator of the network.
    addresses: world.ownsAddresses ? [] : addresses.map(loopbackAddress),
    links: [],
    routes: [],
    hostnames: hostname === '' ? [] : [{ ...parseHostname(hostname), layer: 'platform' }],
    resolvers: resolvers === undefined ? [] : [resolvers],
    timeServers: [],
    operators: [],
    externalIPs: [],
    probes: [],
    ...facts.kept,
    metadata: {
      ...{
        platform: world.platform,
        hostname,
        region: '',
        zone: '',
        instanceType,
        instanceId: '',
      },
      ...{ providerId: '', spot: false, internalDNS: '', externalDNS: '', tags: {} },
    },
  };
}

/** The host answers for all of 127.0.0.0/8. */
function loopbackAddress(address: string): AddressSpecSpec {
  return {
    ...{ address: withPrefixLength(address), linkName: 'lo', scope: 'host', flags: ['permanent'] },
    family: address.includes(':') ? 'inet6' : 'inet4',
    ...{ announceWithARP: false, priority: 0, layer: 'platform' },
  };
}
