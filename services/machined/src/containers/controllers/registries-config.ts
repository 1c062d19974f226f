import type { Controller } from '@nodewright/controllers';
import { registryConfigs } from '@nodewright/state/kinds';
import { configuredController } from '../../base/controllers/configured-controller.ts';

/** The mirrors, credentials and TLS settings of registries. Source: Talos v1.14: COSI resources, RegistryConfigs. */
export function registriesConfigController(): Controller {
  return configuredController({
    name: 'cri.RegistriesConfigController',
    output: registryConfigs,
    wanted({ registries: { mirrors, auths, tls } }) {
      const mirrorSpecs = mapValues(mirrors, ({ endpoints, skipFallback }) => ({
        endpoints: endpoints.map(({ url, overridePath }) => ({ endpoint: url, overridePath })),
        skipFallback,
      }));
      return [{ id: registryConfigs.singleton, spec: { mirrors: mirrorSpecs, auths, tls } }];
    },
  });
}

const mapValues = <V, R>(record: Readonly<Record<string, V>>, change: (value: V) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
