import { type Controller, weak } from '@nodewright/controllers';
import { machineConfigs } from '@nodewright/state/kinds';
import { persistentConfigId } from '../../base/controllers/configuration-of.ts';
import type { ConfigurationKeeper } from './configuration-keeper.ts';

export interface PersistenceInit {
  readonly keeper: Pick<ConfigurationKeeper, 'settle' | 'onUnsettled'>;
}

/**
 * Stores a configuration that came from another source, such as the platform. After a write that failed or
 * timed out, it restores the wanted text on disk. A configuration from a call needs no work here: the call
 * stores it before changing the resource. Source: Talos v1.14: config.PersistenceController.
 */
export function createPersistenceController({ keeper }: PersistenceInit): Controller {
  return {
    name: 'config.PersistenceController',
    inputs: [weak(machineConfigs, persistentConfigId)],
    outputs: [],
    open: (source, scope) => {
      scope.use(keeper.onUnsettled(() => source.wake()));
    },
    reconcile: () => keeper.settle(),
  };
}
