import type { NameServerSpec } from '@nodewright/state/kinds';

const linkLocal = /^fe[89ab][0-9a-f]:/;
/** Names that the readers of `resolv.conf` take in a zone. */
const plainName = /^[\w.-]{1,15}$/;

/**
 * The name servers that a host of a link has named. An address that is valid on this link only gets the link as its zone, such as
 * `fe80::1%eth0`, by its index when its name could be misread. Source: RFC 4007, section 11.
 *
 * @param own addresses of this machine, which are no name servers of it
 */
export function linkNameServers(
  servers: readonly string[],
  link: { readonly name: string; readonly index: number },
  own: ReadonlySet<string>,
): NameServerSpec[] {
  const zone = plainName.test(link.name) ? link.name : String(link.index);
  return servers
    .filter((address) => !own.has(address))
    .map((address) => (linkLocal.test(address) ? `${address}%${zone}` : address))
    .map((addr) => ({ addr, protocol: 'Do53', tlsServerName: '' }));
}
