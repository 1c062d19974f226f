import type { EffectiveConfig } from '@nodewright/machine-config';
import type { RegistryConfigSpec } from '@nodewright/state/kinds';

/**
 * The mirrors, credentials and TLS settings of registries. Source: Talos v1.14: COSI resources, RegistryConfigs; image cache.
 *
 * @param imageCacheUrl the first mirror of every registry; `undefined` while the node has no image cache
 */
export function registryConfigFrom(
  { registries }: Pick<EffectiveConfig, 'registries'>,
  imageCacheUrl: string | undefined,
): RegistryConfigSpec {
  const { mirrors, auths, tls } = registries;
  const cached = imageCacheUrl === undefined ? [] : [{ endpoint: imageCacheUrl, overridePath: false }];
  const every: typeof mirrors = cached.length > 0 ? { '*': { endpoints: [], skipFallback: false } } : {};
  const withCache = Object.entries({ ...every, ...mirrors }).map(
    ([registry, { endpoints, skipFallback }]) => {
      const own = endpoints.map(({ url, overridePath }) => ({ endpoint: url, overridePath }));
      return [registry, { endpoints: [...cached, ...own], skipFallback }] as const;
    },
  );
  return { mirrors: Object.fromEntries(withCache), auths, tls };
}
