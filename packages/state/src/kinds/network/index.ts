// Source: Talos v1.14: COSI resources, network.
import type { ResourceKind } from '../../meta/define-kind.ts';
import {
  addressSpecs,
  addressStatuses,
  hardwareAddresses,
  nodeAddresses,
  nodeAddressFilters,
  nodeAddressSortAlgorithms,
} from './addresses.ts';
import { bgpInstanceConfigs, bgpPeerStatuses } from './bgp.ts';
import { ethernetSpecs, ethernetStatuses } from './ethernet.ts';
import { dnsResolveCaches, dnsUpstreams, hostDnsConfigs, staticHosts } from './host-dns.ts';
import { hostnameSpecs, hostnameStatuses } from './hostnames.ts';
import { deviceConfigSpecs, linkAliasSpecs, linkRefreshes, linkSpecs, linkStatuses } from './links.ts';
import { networkStatuses } from './network-status.ts';
import { nfTablesChains } from './nftables.ts';
import { operatorSpecs } from './operators.ts';
import { platformConfigs } from './platform.ts';
import { probeSpecs, probeStatuses } from './probes.ts';
import { resolverSpecs, resolverStatuses } from './resolvers.ts';
import { routeSpecs, routeStatuses, routingRuleSpecs, routingRuleStatuses } from './routes.ts';
import { specExplanations } from './spec-explanations.ts';
import { timeServerSpecs, timeServerStatuses } from './time-servers.ts';

export * from './addresses.ts';
export * from './bgp.ts';
export * as networkEnumerations from './enumerations.ts';
export * from './ethernet.ts';
export * from './host-dns.ts';
export * from './hostnames.ts';
export type * from './link-parts.ts';
export * from './links.ts';
export * from './network-status.ts';
export * from './nftables.ts';
export * from './operators.ts';
export * from './platform.ts';
export * from './probes.ts';
export * from './resolvers.ts';
export * from './routes.ts';
export * from './spec-explanations.ts';
export * from './time-servers.ts';

export const networkKinds: readonly ResourceKind[] = [
  addressStatuses,
  addressSpecs,
  bgpInstanceConfigs,
  bgpPeerStatuses,
  deviceConfigSpecs,
  dnsResolveCaches,
  dnsUpstreams,
  ethernetSpecs,
  ethernetStatuses,
  hardwareAddresses,
  hostDnsConfigs,
  hostnameStatuses,
  hostnameSpecs,
  linkAliasSpecs,
  linkRefreshes,
  linkStatuses,
  linkSpecs,
  nfTablesChains,
  nodeAddresses,
  nodeAddressFilters,
  nodeAddressSortAlgorithms,
  operatorSpecs,
  platformConfigs,
  probeSpecs,
  probeStatuses,
  resolverStatuses,
  resolverSpecs,
  routeStatuses,
  routeSpecs,
  routingRuleSpecs,
  routingRuleStatuses,
  specExplanations,
  staticHosts,
  networkStatuses,
  timeServerStatuses,
  timeServerSpecs,
];
