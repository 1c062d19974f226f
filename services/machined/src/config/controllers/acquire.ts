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
  /** The sources in search order. A call in maintenance is the last resort and is not in this list. */
  readonly sources: readonly ConfigurationSource[];
  readonly keeper: Pick<ConfigurationKeeper, 'claim' | 'activate' | 'persist' | 'isMaintenance'>;
  /** Decodes and validates the text from a source. */
  readonly examiner: ConfigurationExaminer;
  readonly events: { publish(event: NodeEvent): void };
}

/**
 * Searches for the boot configuration once an `AcquireConfigSpecs` resource requests one, and publishes
 * `AcquireConfigStatuses` when the node has a complete configuration. Until then the node is in maintenance
 * (`MaintenanceServiceRequests`).
 *
 * The controller publishes each failure as an event, logs it, and retries with back-off. If the stored
 * configuration is damaged, the node is in maintenance until a call applies another one or the file is
 * repaired.
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
    const isRequested = (await pass.get(pointerTo(acquireConfigSpecs))) !== undefined;
    const isAnswered = (await pass.get(pointerTo(acquireConfigStatuses))) !== undefined;
    if (!isRequested || isAnswered) return;

    const { keeper } = this.#init;
    // A configuration that a call has applied meanwhile is newer than that of any source.
    if (keeper.isMaintenance() && this.#isSearchDue) await this.#search(pass);
    if (keeper.isMaintenance()) await this.#stayInMaintenance(pass);
    else await this.#finish(pass);
  }

  async #search(pass: ReconcilePass): Promise<void> {
    const { sources, keeper, examiner, events } = this.#init;
    using claim = keeper.claim();
    // A call is about to apply a configuration: search again later.
    if (claim === undefined) return pass.wakeAfter(backoffMs(1));
    const reportFailure = (error: unknown) => {
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
        reportFailure(found.fault);
        this.#damagedSearches += 1;
        pass.wakeAfter(backoffMs(this.#damagedSearches));
        return;
      }
      if (found.kind === 'complete') await keeper.persist(found.configuration.text);
      this.#isSearchDue = false;
    } catch (error) {
      reportFailure(error);
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
      // The controller that serves maintenance stops it first. The request is destroyed after that, which
      // triggers another pass.
      const request = pointerTo(maintenanceServiceRequests);
      if ((await pass.get(request)) !== undefined) return;
      this.#isInMaintenance = false;
      this.#init.events.publish({ kind: 'task', task: maintenanceTask, action: 'stop' });
      pass.log.info({}, 'maintenance has ended');
    }
    await pass.put({ ...pointerTo(acquireConfigStatuses), spec: {} });
  }
}
