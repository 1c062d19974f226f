import type { RegistrySettings } from '@nodewright/oci';

/** Where registryd listens. */
export interface OwnAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * The settings without registryd itself, which is the first mirror of every registry on its node: it must not ask itself. A mirror
 * that has no other endpoint has no effect, also when it has no fallback.
 */
export function withoutOwnEndpoint(settings: RegistrySettings, own: OwnAddress): RegistrySettings {
  const host = own.host.includes(':') ? `[${own.host}]` : own.host;
  const ownHosts = new Set([`${host}:${own.port}`, `localhost:${own.port}`]);
  const mirrors = Object.entries(settings.mirrors).map(([registry, { endpoints, skipFallback }]) => {
    const others = endpoints.filter(({ endpoint }) => !ownHosts.has(URL.parse(endpoint)?.host ?? ''));
    return [registry, { endpoints: others, skipFallback: skipFallback && others.length > 0 }] as const;
  });
  return { ...settings, mirrors: Object.fromEntries(mirrors) };
}
