import type { Credentials } from './authorization.ts';
import {
  type EndpointsOf,
  type EndpointTls,
  type RegistryEndpoint,
  registryHost,
} from './registry-endpoint.ts';

/**
 * The settings of registries, by their host with its port; `*` stands for every registry without a mirror of its own. Source:
 * Talos v1.14: machine configuration, registries.
 */
export interface RegistrySettings {
  readonly mirrors: Readonly<Record<string, RegistryMirror>>;
  readonly auths: Readonly<Record<string, RegistryAuth>>;
  readonly tls: Readonly<Record<string, RegistryTls>>;
}

export interface RegistryMirror {
  /** In the order to try them. With `overridePath` the path of the URL takes the place of `/v2`. */
  readonly endpoints: readonly { readonly endpoint: string; readonly overridePath: boolean }[];
  /** Do not try the registry itself after them. Without an endpoint this has no effect. */
  readonly skipFallback: boolean;
}

/** The first of these that is set counts: the user name, the identity token, `auth`. All are secrets. */
export interface RegistryAuth {
  readonly username: string;
  readonly password: string;
  readonly identityToken: string;
  /** Base64 of `user:password`. */
  readonly auth: string;
}

export interface RegistryTls {
  /** PEM; empty when not set. */
  readonly ca: string;
  /** PEM. The key is a secret. */
  readonly clientIdentity: { readonly crt: string; readonly key: string } | undefined;
  readonly insecureSkipVerify: boolean;
}

const everyRegistry = '*';

/** Finds the mirrors of a registry, and then the registry itself, with their credentials and TLS settings. */
export function registryEndpoints({ mirrors, auths, tls }: RegistrySettings, own: EndpointsOf): EndpointsOf {
  const withSettings = (endpoint: RegistryEndpoint, host: string): RegistryEndpoint => {
    const credentials = credentialsOf(auths[host]);
    const tlsOfHost = tlsOf(tls[host]);
    return { ...endpoint, ...(tlsOfHost && { tls: tlsOfHost }), ...(credentials && { credentials }) };
  };
  return (registry) => {
    const mirror = mirrors[registry] ?? mirrors[everyRegistry];
    const found = (mirror?.endpoints ?? []).map(({ endpoint, overridePath }) => {
      const host = URL.parse(endpoint)?.host ?? '';
      const isMirror = host !== registryHost(registry);
      return withSettings({ url: endpoint, overridesPath: overridePath, isMirror }, host);
    });
    const hasFallback = mirror === undefined || !mirror.skipFallback || found.length === 0;
    return hasFallback ? [...found, ...own(registry).map((one) => withSettings(one, registry))] : found;
  };
}

function tlsOf(settings: RegistryTls | undefined): EndpointTls | undefined {
  if (settings === undefined) return undefined;
  const { ca, clientIdentity, insecureSkipVerify } = settings;
  return {
    ...(ca === '' ? {} : { ca }),
    ...(clientIdentity && {
      clientIdentity: { certificate: clientIdentity.crt, key: clientIdentity.key },
    }),
    ...(insecureSkipVerify ? { skipsVerification: true } : {}),
  };
}

function credentialsOf(auth: RegistryAuth | undefined): Credentials | undefined {
  if (auth === undefined) return undefined;
  if (auth.username !== '') return { username: auth.username, password: auth.password };
  if (auth.identityToken !== '') return { identityToken: auth.identityToken };
  const [, username, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(auth.auth, 'base64').toString()) ?? [];
  return username === undefined || password === undefined ? undefined : { username, password };
}
