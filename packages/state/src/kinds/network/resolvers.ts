import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, ip, list, message, text, unlessEmpty, type ValueOf } from '../../spec/field-types.ts';
import { configLayer, dnsProtocol } from './enumerations.ts';

const nameServerSpec = message({
  addr: field(1, ip),
  /** `Do53`, `DoT` or `DoH`. */
  protocol: field(2, dnsProtocol),
  tlsServerName: field(3, text),
});
export type NameServerSpec = ValueOf<typeof nameServerSpec>;

/** The DNS servers in use. */
export const resolverStatuses = defineKind({
  type: 'ResolverStatuses.net.talos.dev',
  defaultNamespace: 'network',
  singleton: 'resolvers',
  aliases: ['resolvers'],
  printColumns: {
    Resolvers: '{.dnsServers}',
    'Search Domains': '{.searchDomains}',
  },
  spec: {
    dnsServers: field(1, list(ip)),
    nameServers: unlessEmpty(4, list(nameServerSpec)),
    searchDomains: field(2, list(text)),
  },
});
export type ResolverStatusSpec = SpecOf<typeof resolverStatuses>;

export const resolverSpecsFields = {
  /** Only the addresses of `nameServers`, for older clients. */
  dnsServers: field(1, list(ip)),
  nameServers: unlessEmpty(4, list(nameServerSpec)),
  layer: field(2, configLayer),
  searchDomains: unlessEmpty(3, list(text)),
  searchDomainsOverridden: unlessEmpty(5, bool),
};

/** The desired DNS servers. The namespace `network-config` has those of each layer. */
export const resolverSpecs = defineKind({
  type: 'ResolverSpecs.net.talos.dev',
  defaultNamespace: 'network',
  singleton: 'resolvers',
  printColumns: {
    Layer: '{.layer}',
    Resolvers: '{.dnsServers}',
    'Search Domains': '{.searchDomains}',
  },
  spec: resolverSpecsFields,
});
export type ResolverSpecSpec = SpecOf<typeof resolverSpecs>;
