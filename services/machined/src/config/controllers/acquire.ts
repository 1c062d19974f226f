import { type Controller, destroyReady, exclusive, type ReconcilePass, weak } from '@nodewright/controllers';
import { Fault, faultFrom } from '@nodewright/fault';
import { pointerTo } from '@nodewright/state';
import {
  acquireConfigSpecs,
  acquireConfigStatuses,
  machineConfigs,
  maintenanceServiceRequests,
} from '@nodewright/state/kinds';
import { activeConfigId } from '../../base/controllers/configuration-of.ts';
import type { NodeEvent } from '../../life/domain/node-event.ts';
import { backoffMs } from '../domain/retry-schedule.ts';
import { type ConfigurationSource, searchConfiguration } from '../domain/search-configuration.ts';
import type { ConfigurationExaminer } from '../host/configuration-examiner.ts';
import type { ConfigurationKeeper } from './configuration-keeper.ts';

const maintenanceTask = 'runningMaintenance';

export interface AcquireInit {
  /** In the order in which they are asked; the last resort, a call in maintenance, is not one of them. */
  readonly sources: readonly ConfigurationSource[];
  readonly keeper: Pick<ConfigurationKeeper, 'claim' | 'activate' | 'persist' | 'isMaintenance'>;
  /** Reads and judges what a source gave. */
  readonly examiner: ConfigurationExaminer;
  readonly events: { publish(event: NodeEvent): void };
}

/**
 * Finds the configuration to boot with once one is asked for (`AcquireConfigSpecs`), and says when it is there
 * (`AcquireConfigStatuses`). While there is no complete one the node is in maintenance (`MaintenanceServiceRequests`).
 *
 * A failure is told as an event and in the log, and tried again after pauses that grow. With a stored configuration that
 * is damaged the node is in maintenance meanwhile: a call brings a new one, or the file is mended.
 *
 * Source: Talos v1.14: config.AcquireController, configuration acquisition.
 */
export function createAcquireController(init: AcquireInit): Controller {
  const acquisition = new Acquisition(init);
  return {
    name: 'config.AcquireController',
    inputs: [
      weak(acquireConfigSpecs),
      weak(machineConfigs, activeConfigId),
      destroyReady(maintenanceServiceRequests),
    ],
    outputs: [exclusive(acquireConfigStatuses), exclusive(maintenanceServiceRequests)],
    reconcile: (pass) => acquisition.reconcile(pass),
  };
}

class Acquisition {
  readonly #init: AcquireInit;
  #isSearchDue = true;
  #isInMaintenance = false;
  #damagedSearches = 0;

  constructor(init: AcquireInit) {
    this.#init = init;
  }

  async reconcile(pass: ReconcilePass): Promise<void> {
    const isAsked = (await pass.get(pointerTo(acquireConfigSpecs))) !== undefined;
    const isAnswered = (await pass.get(pointerTo(acquireConfigStatuses))) !== undefined;
    if (!isAsked || isAnswered) return;

    const { keeper } = this.#init;
    // What a call has applied meanwhile is newer than whatever a source has.
    if (keeper.isMaintenance() && this.#isSearchDue) await this.#search(pass);
    if (keeper.isMaintenance()) await this.#stayInMaintenance(pass);
    else await this.#finish(pass);
  }

  async #search(pass: ReconcilePass): Promise<void> {
    const { sources, keeper, examiner, events } = this.#init;
    using claim = keeper.claim();
    // A call is about to apply one: there will be a pass after it.
    if (claim === undefined) return pass.wakeAfter(backoffMs(1));
    const tell = (error: unknown) => {
      const { message } = faultFrom(error);
      events.publish({ kind: 'config-load-error', error: message });
      pass.log.error({ error: message }, 'no machine configuration');
    };
    try {
      const found = await searchConfiguration(
        {
          sources,
          read: async (text, source) => {
            const { configuration, warnings, refusal } = await examiner.examine({
              text,
              isStored: source.isStored,
            });
            if (refusal !== undefined) throw new Fault('invalid-argument', refusal);
            for (const warning of warnings) {
              pass.log.warn({ source: source.name, warning }, 'machine configuration');
            }
            return configuration;
          },
          take: async (configuration, source) => {
            await keeper.activate(configuration);
            if (source.isStored) await keeper.persist(configuration.text);
            pass.log.info({ source: source.name }, 'machine configuration loaded');
          },
        },
        pass.signal,
      );
      if (found.kind === 'damaged') {
        tell(found.fault);
        this.#damagedSearches += 1;
        pass.wakeAfter(backoffMs(this.#damagedSearches));
        return;
      }
      if (found.kind === 'complete') await keeper.persist(found.configuration.text);
      this.#isSearchDue = false;
    } catch (error) {
      tell(error);
      throw error;
    }
  }

  async #stayInMaintenance(pass: ReconcilePass): Promise<void> {
    if (!this.#isInMaintenance) {
      this.#isInMaintenance = true;
      this.#init.events.publish({ kind: 'task', task: maintenanceTask, action: 'start' });
      pass.log.info({}, 'maintenance: waiting for a machine configuration');
    }
    await pass.put({ ...pointerTo(maintenanceServiceRequests), spec: {} });
  }

  async #finish(pass: ReconcilePass): Promise<void> {
    if (this.#isInMaintenance) {
      await pass.replace(maintenanceServiceRequests, []);
      // Whoever serves maintenance ends it first; the request is gone then, and there is one more pass.
      const request = pointerTo(maintenanceServiceRequests);
      if ((await pass.get(request)) !== undefined) return;
      this.#isInMaintenance = false;
      this.#init.events.publish({ kind: 'task', task: maintenanceTask, action: 'stop' });
      pass.log.info({}, 'maintenance has ended');
    }
    await pass.put({ ...pointerTo(acquireConfigStatuses), spec: {} });
  }
}
