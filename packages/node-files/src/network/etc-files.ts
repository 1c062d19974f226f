import type { HostName } from './hostname.ts';
import { fullHostname } from './hostname.ts';

export interface HostsFacts {
  readonly name: HostName | undefined;
  /** Address of the node without its prefix length; undefined while it has none. */
  readonly address: string | undefined;
  readonly staticHosts: readonly { readonly address: string; readonly hostnames: readonly string[] }[];
}

/** The text of `/etc/hosts`. Source: Talos v1.14: files generated under /etc. */
export function hostsFile({ name, address, staticHosts }: HostsFacts): string {
  const names = name === undefined ? [] : [...new Set([fullHostname(name), name.hostname])];
  const own = address === undefined || names.length === 0 ? [] : [{ address, hostnames: names }];
  const entries = [
    { address: '127.0.0.1', hostnames: ['localhost'] },
    ...own,
    { address: '::1', hostnames: ['localhost', 'ip6-localhost', 'ip6-loopback'] },
    { address: 'ff02::1', hostnames: ['ip6-allnodes'] },
    { address: 'ff02::2', hostnames: ['ip6-allrouters'] },
    ...staticHosts,
  ];
  const width = Math.max(...entries.map((entry) => entry.address.length)) + 1;
  return entries.map((entry) => `${entry.address.padEnd(width)}${entry.hostnames.join(' ')}\n`).join('');
}

/** The resolver of libc uses only the first three. */
const maxNameServers = 3;

/** The text of `/etc/resolv.conf`. */
export function resolvConfFile(servers: readonly string[], searchDomains: readonly string[]): string {
  const lines = servers.slice(0, maxNameServers).map((server) => `nameserver ${server}\n`);
  if (searchDomains.length > 0) lines.push(`\nsearch ${searchDomains.join(' ')}\n`);
  return lines.join('');
}
