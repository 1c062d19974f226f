import { parseRange } from './ipv4-range.ts';

/** What an engine gives to its containers when its host names no server that they can reach. Source: Docker: networking. */
const engineDefaults = ['8.8.8.8', '8.8.4.4'] as const;

/**
 * The name servers that pods in containers can reach: those of the first file that names some. A server on a loopback address,
 * such as the engine's own one or that of systemd-resolved, is another one inside of each pod: CoreDNS would ask itself.
 *
 * @param resolvConfs contents of files in the form of `/etc/resolv.conf`
 */
export function reachableNameServers(resolvConfs: readonly string[]): readonly string[] {
  const found = resolvConfs
    .map((text) =>
      [...text.matchAll(/^[^\S\n]*nameserver\s+(\S+)/gm)]
        .map(([, address = '']) => address)
        // Clusters of containers have only addresses of IPv4.
        .filter((address) => parseRange(`${address}/32`) !== undefined && !/^(127|0)\./.test(address)),
    )
    .find((servers) => servers.length > 0);
  return found ?? engineDefaults;
}
