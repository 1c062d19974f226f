/** Where a registry is asked. */
export interface RegistryEndpoint {
  /** With scheme; a path is kept in front of `/v2`. */
  readonly url: string;
  /** PEM; instead of the authorities that Node.js trusts. */
  readonly ca?: string;
}

/** Finds where to ask for what a registry has, in the order to try. */
export type EndpointsOf = (registry: string) => readonly RegistryEndpoint[];

/** Where Docker Hub answers. */
const hubHost = 'registry-1.docker.io';

/** The registry itself: with TLS, unless it is on this machine, as container tools do it everywhere. */
export function ownEndpoints(registry: string): RegistryEndpoint[] {
  const host = registry === 'docker.io' ? hubHost : registry;
  return [{ url: `${isLoopback(host) ? 'http' : 'https'}://${host}` }];
}

function isLoopback(host: string): boolean {
  const name = host.replace(/:\d+$/, '');
  return name === 'localhost' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}
