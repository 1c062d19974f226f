import type { EffectiveConfig } from '@nodewright/machine-config';
import type { NameServerSpec, ResolverSpecSpec } from '@nodewright/state/kinds';
import type { Layer } from './merge-layers.ts';

/** A layer without any setting for name resolution. */
export function resolverSpec(layer: Layer, nameServers: readonly NameServerSpec[]): ResolverSpecSpec {
  return {
    dnsServers: nameServers.map(({ addr }) => addr),
    nameServers,
    layer,
    searchDomains: [],
    searchDomainsOverridden: false,
  };
}

const plain = (addr: string): NameServerSpec => ({ addr, protocol: 'Do53', tlsServerName: '' });

/** Source: Talos v1.14: network defaults, resolvers. */
export const defaultNameServers: readonly string[] = ['1.1.1.1', '8.8.8.8'];

/**
 * The layers of the node itself: defaults, with its own domain, and its configuration.
 *
 * @param domainname empty without one
 */
export function resolverLayers(
  config: Pick<EffectiveConfig, 'resolvers'> | undefined,
  domainname: string,
): ResolverSpecSpec[] {
  const { nameServers = [], searchDomains, disableSearchDomain = false } = config?.resolvers ?? {};
  const ofDomain = domainname === '' || disableSearchDomain ? [] : [domainname];
  const specs = [{ ...resolverSpec('default', defaultNameServers.map(plain)), searchDomains: ofDomain }];
  if (nameServers.length > 0 || searchDomains !== undefined) {
    const servers = nameServers.map(({ address, protocol, tlsServerName }) => ({
      ...{ addr: address, protocol, tlsServerName },
    }));
    specs.push({
      ...resolverSpec('configuration', servers),
      searchDomains: [...(searchDomains ?? [])],
      searchDomainsOverridden: searchDomains !== undefined,
    });
  }
  return specs;
}

/** The layer of the platform from a `resolv.conf`; undefined when it names no server. */
export function platformResolvers(resolvConf: string): ResolverSpecSpec | undefined {
  const words = resolvConf.split('\n').map((line) =>
    line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/),
  );
  const servers = words.flatMap(([key, address]) => (key === 'nameserver' && address ? [address] : []));
  if (servers.length === 0) return undefined;
  const search = words.findLast(([key]) => key === 'search' || key === 'domain')?.slice(1) ?? [];
  return {
    // The zone has a meaning only for the local resolver, and is not part of an address here.
    ...resolverSpec('platform', [...new Set(servers.map((text) => text.replace(/%.*/, '')))].map(plain)),
    searchDomains: search.filter((domain) => domain !== '.'),
  };
}
