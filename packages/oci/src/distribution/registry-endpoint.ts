import type { Credentials } from './authorization.ts';

/** An address at which a registry is reachable. */
export interface RegistryEndpoint {
  /** Includes the scheme; a path is put in front of `/v2`. */
  readonly url: string;
  /** The path of the URL takes the place of `/v2`. */
  readonly overridesPath?: boolean;
  /** It serves several registries: each request names the one that is meant, in the parameter `ns`. */
  readonly isMirror?: boolean;
  /** For requests that bring none of their own. */
  readonly credentials?: Credentials;
  /** Settings of its TLS connections. */
  readonly tls?: EndpointTls;
}

/** How to connect to an endpoint with TLS. */
export interface EndpointTls {
  /** PEM; replaces the certificate authorities that Node.js trusts. */
  readonly ca?: string;
  /** The certificate to show, and its key; both PEM. The key is a secret. */
  readonly clientIdentity?: { readonly certificate: string; readonly key: string };
  /** Accept every certificate. */
  readonly skipsVerification?: boolean;
}

/** Finds the endpoints of a registry, in the order to try them. */
export type EndpointsOf = (registry: string) => readonly RegistryEndpoint[];

/** The address of Docker Hub's API. */
const hubHost = 'registry-1.docker.io';

/** The host that serves the API of a registry. */
export const registryHost = (registry: string) => (registry === 'docker.io' ? hubHost : registry);

/** The registry itself: with TLS, unless it runs on this machine, as in other container tools. */
export function ownEndpoints(registry: string): RegistryEndpoint[] {
  const host = registryHost(registry);
  return [{ url: `${isLoopback(host) ? 'http' : 'https'}://${host}` }];
}

function isLoopback(host: string): boolean {
  const name = host.replace(/:\d+$/, '');
  return name === 'localhost' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}
