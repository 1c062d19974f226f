// What a lease of DHCP for IPv6 means for the machine. Source: Talos v1.14: network, DHCPv6.
import {
  associationIdOf,
  duidOfHardware,
  duidOfTime,
  type Inet6ClientSettings,
  type Inet6Grant,
} from '@nodewright/dhcp';
import type { OperatorSpecSpec } from '@nodewright/state/kinds';
import { linkAddress } from './address-documents.ts';
import { duidOfHex } from './dhcp-specs.ts';
import { plainLink } from './link-documents.ts';
import { linkNameServers } from './link-name-servers.ts';
import { resolverSpec } from './name-servers.ts';
import type { OperatorOutput } from './operator.ts';

const layer = 'operator';

/**
 * The specifications of a link that runs DHCP for IPv6. The address is that of the host alone: which network is on the link is what
 * routers advertise.
 *
 * @param grant undefined while the link has no lease
 * @param own addresses of this machine, which are no servers of it
 */
export function dhcp6Output(
  link: { readonly name: string; readonly index: number },
  { skipHostnameRequest }: Pick<OperatorSpecSpec['dhcp6'], 'skipHostnameRequest'>,
  grant: Inet6Grant | undefined,
  own: ReadonlySet<string>,
): OperatorOutput {
  const links = [{ ...plainLink(link.name, layer), up: true }];
  const prefix = `dhcp6/${link.name}`;
  if (grant === undefined) return { prefix, links };
  const { address, nameServers, searchDomains, hostname, domainName } = grant;
  const timeServers = grant.timeServers.filter((each) => each !== address && !own.has(each));
  const servers = linkNameServers(nameServers, link, new Set([...own, address]));
  return {
    ...{ prefix, links },
    addresses: [linkAddress(link.name, `${address}/128`, layer)],
    resolvers:
      servers.length + searchDomains.length === 0
        ? undefined
        : { ...resolverSpec(layer, servers), searchDomains: [...searchDomains] },
    hostname:
      hostname === undefined || skipHostnameRequest
        ? undefined
        : { hostname, domainname: domainName ?? '', layer },
    timeServers: timeServers.length === 0 ? undefined : { timeServers, useNTS: false, layer },
  };
}

/** How the client of a link presents itself. A DUID that is not one is replaced by that of the hardware address. */
export function dhcp6Settings(
  hardware: string,
  { clientIdentifier: { clientIdentifier, duidRawHex } }: Pick<OperatorSpecSpec['dhcp6'], 'clientIdentifier'>,
  unixMs: number,
): Inet6ClientSettings {
  const given = clientIdentifier === 'duid' ? duidOfHex(duidRawHex) : undefined;
  const own = clientIdentifier === 'none' ? duidOfTime(hardware, unixMs) : duidOfHardware(hardware);
  return { clientId: given ?? own, associationId: associationIdOf(hardware) };
}
