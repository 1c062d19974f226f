import type { Controller } from '@nodewright/controllers';
import { redactVariable } from '@nodewright/fault';
import { environments } from '@nodewright/state/kinds';
import { configuredController } from '../../base/controllers/configured-controller.ts';

/**
 * The environment variables of services from the configuration. Readers may see them, so passwords of proxies
 * are removed; code that needs a password reads the configuration.
 */
export const environmentController = (): Controller =>
  configuredController({
    name: 'runtime.EnvironmentController',
    output: environments,
    wanted({ environment }) {
      const variables = Object.entries(environment).map(
        ([name, value]) => `${name}=${redactVariable(name, value)}`,
      );
      return variables.length === 0 ? [] : [{ id: 'machined', spec: { variables: variables.sort() } }];
    },
  });
