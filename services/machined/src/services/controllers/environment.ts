import type { Controller } from '@nodewright/controllers';
import { redactVariable } from '@nodewright/fault';
import { environments } from '@nodewright/state/kinds';
import { configuredController } from '../../base/controllers/configured-controller.ts';

/**
 * The variables of services, as far as the configuration says. Readers see them, so passwords of proxies are left out;
 * who needs those reads the configuration.
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
