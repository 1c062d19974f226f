// What a lease of DHCP means for the machine. Source: Talos v1.14: network, DHCPv4.
import type { ClientSettings, LeaseOffer } from '@nodewright/dhcp';
import { areNeighbours, clientIdOfHardware, unspecifiedAddress } from '@nodewright/dhcp';
import type { HostnameSpecSpec, OperatorSpecSpec, RouteSpecSpec } from '@nodewright/state/kinds';
import { linkAddress } from './address-documents.ts';
import { plainLink } from './link-documents.ts';
import { resolverSpec } from './name-servers.ts';
import type { OperatorOutput } from './operator.ts';
import { defaultMetric, plainRoute } from './route-documents.ts';

const layer = 'operator';

type Dhcp4Spec = OperatorSpecSpec['dhcp4'];

/** What a link takes from its server unless somebody has said it already. */
export type GivenSetting = 'hostname' | 'resolvers' | 'timeServers';

export interface DhcpOutputFacts {
  /** Undefined while the link has no lease. */
  readonly lease: LeaseOffer | undefined;
  /** A link without a carrier keeps its address, but leads nowhere: another link may have a route to the same destinations. */
  readonly hasCarrier: boolean;
  /** What is not taken from the server. */
  readonly given: ReadonlySet<GivenSetting>;
}

/**
 * The specifications of a link that runs DHCP. The link is up also without a lease, because nothing can be asked on another one.
 */
export function dhcpOutput(
  linkName: string,
  { routeMetric, skipHostnameRequest, skipRoutes }: Dhcp4Spec,
  { lease, hasCarrier, given }: DhcpOutputFacts,
): OperatorOutput {
  const link = { ...plainLink(linkName, layer), up: true };
  const prefix = `dhcp4/${linkName}`;
  if (lease === undefined) return { prefix, links: [link] };
  const {
    address,
    prefixLength,
    mtu = 0,
    hostname,
    domainName,
    nameServers,
    searchDomains,
    timeServers,
  } = lease;
  const metric = routeMetric || defaultMetric;
  const servers = nameServers.map((addr) => ({ addr, protocol: 'Do53' as const, tlsServerName: '' }));
  return {
    prefix,
    addresses: [linkAddress(linkName, `${address}/${prefixLength}`, layer, metric)],
    links: [{ ...link, mtu }],
    routes: skipRoutes || !hasCarrier ? [] : routesOf(linkName, metric, lease),
    hostname:
      hostname === undefined || skipHostnameRequest || given.has('hostname')
        ? undefined
        : { hostname, domainname: domainName ?? '', layer },
    resolvers:
      servers.length + searchDomains.length === 0 || given.has('resolvers')
        ? undefined
        : { ...resolverSpec(layer, servers), searchDomains: [...searchDomains] },
    timeServers:
      timeServers.length === 0 || given.has('timeServers')
        ? undefined
        : { timeServers: [...timeServers], useNTS: false, layer },
  };
}

/** A gateway outside of the network of the address gets a route of its own, without which the kernel refuses it. */
function routesOf(outLinkName: string, priority: number, lease: LeaseOffer): RouteSpecSpec[] {
  const { address: src, prefixLength, routes } = lease;
  const common: Omit<RouteSpecSpec, 'dst'> = {
    ...{ ...plainRoute, family: 'inet4', outLinkName, priority, src },
    ...{ protocol: 'boot', layer },
  };
  const onLink = new Set(
    routes.filter(({ gateway }) => gateway === unspecifiedAddress).map(({ destination }) => destination),
  );
  const outside = routes
    .map(({ gateway }) => gateway)
    .filter((gateway) => gateway !== unspecifiedAddress && !areNeighbours(gateway, src, prefixLength))
    .filter((gateway) => !onLink.has(gateway));
  const toGateways = [...new Set(outside)].map(
    (gateway): RouteSpecSpec => ({ ...common, dst: `${gateway}/32`, scope: 'link' }),
  );
  const offered = routes.map((route): RouteSpecSpec => {
    const dst = route.prefixLength === 0 ? '' : `${route.destination}/${route.prefixLength}`;
    if (route.gateway === unspecifiedAddress) return { ...common, dst, scope: 'link' };
    return { ...common, dst, gateway: route.gateway, scope: 'global' };
  });
  return [...toGateways, ...offered];
}

/** The longest id of a client that servers take. */
const longestClientId = 130;

/** How the client of a link presents itself. */
export function dhcpSettings(
  hardware: string,
  { clientIdentifier, skipHostnameRequest }: Dhcp4Spec,
): ClientSettings {
  return {
    ...{ hardware, hostname: undefined, wantsHostname: !skipHostnameRequest },
    clientId: clientIdOf(hardware, clientIdentifier),
  };
}

/**
 * The name that a server is told; undefined for none. A name that the server itself has given is not told back, and one that the node
 * has in its place is: then no other name is taken from the server. Source: Talos v1.14: network, DHCPv4.
 *
 * @param current the merged name of the node
 * @param given by the server, and used
 */
export function nameToTell(
  current: Pick<HostnameSpecSpec, 'hostname' | 'layer'> | undefined,
  given: string | undefined,
): string | undefined {
  if (current === undefined || current.hostname === '') return undefined;
  if (current.layer === 'configuration') return current.hostname;
  // A name from this or another server; or that of this lease will replace the current one in a moment.
  return current.layer === 'operator' || given !== undefined ? undefined : current.hostname;
}

/** A DUID that is not one is left out. */
function clientIdOf(hardware: string, { clientIdentifier, duidRawHex }: Dhcp4Spec['clientIdentifier']) {
  if (clientIdentifier === 'mac') return clientIdOfHardware(hardware);
  return clientIdentifier === 'duid' ? duidOfHex(duidRawHex) : undefined;
}

/** The bytes of a DUID in hexadecimal digits, with colons or without; undefined for a text that is not one. */
export function duidOfHex(text: string): Uint8Array | undefined {
  const hex = text.replaceAll(':', '');
  const isDuid =
    hex.length % 2 === 0 && hex.length / 2 <= longestClientId && /^(?:[0-9a-f]{2}){2,}$/i.test(hex);
  return isDuid ? Uint8Array.from(Buffer.from(hex, 'hex')) : undefined;
}
