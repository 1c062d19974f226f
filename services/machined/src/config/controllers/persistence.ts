import { type Controller, weak } from '@nodewright/controllers';
import { machineConfigs } from '@nodewright/state/kinds';
import { persistentConfigId } from '../../base/controllers/configuration-of.ts';
import type { ConfigurationKeeper } from './configuration-keeper.ts';

export interface PersistenceInit {
  readonly keeper: Pick<ConfigurationKeeper, 'settle' | 'onUnsettled'>;
}

/**
 * Writes a configuration that was found elsewhere to the disk, and the one before again after a write that failed or
 * came too late. What a call stores is on the disk before its resource changes: there is nothing left to do for it.
 * Source: Talos v1.14: config.PersistenceController.
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
