import { type Controller, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { machineConfigs } from '@nodewright/state/kinds';
import { persistentConfigId } from '../../base/controllers/configuration-of.ts';
import type { ConfigurationFile } from '../host/configuration-file.ts';
import type { ConfigurationKeeper } from './configuration-keeper.ts';

export interface PersistenceInit {
  readonly file: Pick<ConfigurationFile, 'store'>;
  /** Told what the disk has. */
  readonly keeper: Pick<ConfigurationKeeper, 'reportStored' | 'reportFailure'>;
}

/** Keeps what the next start takes on the disk. Source: Talos v1.14: config.PersistenceController. */
export function createPersistenceController({ file, keeper }: PersistenceInit): Controller {
  return {
    name: 'config.PersistenceController',
    inputs: [weak(machineConfigs, persistentConfigId)],
    outputs: [],
    async reconcile(pass) {
      const resource = await pass.get(pointerTo(machineConfigs, persistentConfigId));
      if (resource === undefined) return;
      try {
        await file.store(resource.spec);
      } catch (error) {
        keeper.reportFailure(resource.spec, error);
        throw error;
      }
      keeper.reportStored(resource.spec);
    },
  };
}
