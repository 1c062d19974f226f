import { serviceIds } from '@nodewright/contract';
import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import type { NodeEvent } from '../domain/node-event.ts';
import { runSequence, type Sequence } from '../domain/run-sequence.ts';
import { isUp, type ServiceRecord } from '../domain/service-record.ts';
import { ChangeSignal } from '../host/change-signal.ts';
import type { EventStore } from '../host/event-store.ts';
import { StatusKeeper } from './status-keeper.ts';

export interface NodeLifeInit {
  readonly events: EventStore;
  readonly log: Logger;
  /** The services that were started so far. */
  readonly records: () => readonly ServiceRecord[];
}

/** Aborts nothing: these sequences always go to their end. */
const never = new AbortController().signal;

/** What the node goes through as a whole: its sequences and its stage, told as events. */
export class NodeLife {
  readonly #init: NodeLifeInit;
  readonly #status: StatusKeeper;
  readonly #serviceChanged = new ChangeSignal();

  constructor(init: NodeLifeInit) {
    this.#init = init;
    const { events, records } = init;
    // Every node has these two; the others are known once its configuration is.
    const required = () => [
      ...new Set([serviceIds.machined, serviceIds.apid, ...records().map(({ id }) => id)]),
    ];
    this.#status = new StatusKeeper({
      records,
      required,
      onChange: (status) => events.publish({ kind: 'machine-status', status }),
    });
  }

  /** @throws what a task of the sequence failed with. */
  async run(sequence: Sequence, signal: AbortSignal): Promise<void> {
    await runSequence(sequence, (event) => this.#tell(event), signal);
  }

  /** Loads the configuration: the sequence that comes first. @throws as `load` does */
  async loadConfiguration<T>(load: () => T): Promise<T> {
    const loaded: T[] = [];
    const loadConfig = () => {
      try {
        loaded.push(load());
      } catch (error) {
        this.#tell({ kind: 'config-load-error', error: faultFrom(error).message });
        throw error;
      }
    };
    await this.run({ name: 'initialize', phases: [{ name: 'config', tasks: { loadConfig } }] }, never);
    return loaded[0] as T;
  }

  /** The sequence that starts the services and ends once each of them is up or has done its work. */
  async boot(startServices: () => void, signal: AbortSignal): Promise<void> {
    const startAllServices = async (taskSignal: AbortSignal) => {
      startServices();
      while (!taskSignal.aborted && !this.#init.records().every(isUp)) {
        await this.#serviceChanged.next(taskSignal);
      }
    };
    await this.run(
      { name: 'boot', phases: [{ name: 'startEverything', tasks: { startAllServices } }] },
      signal,
    );
  }

  /** The sequence that ends the services. */
  async shutDown(stopAllServices: () => Promise<void>): Promise<void> {
    const phases = [{ name: 'stopEverything', tasks: { stopAllServices } }];
    await this.run({ name: 'shutdown', phases }, never);
  }

  /** To be called with every new entry of a service's history. */
  serviceChanged({ id, history, health }: ServiceRecord): void {
    const entry = history.at(-1);
    if (entry === undefined) return;
    this.#init.events.publish({ kind: 'service', service: id, entry, health });
    this.#status.refresh();
    this.#serviceChanged.notify();
  }

  #tell(event: NodeEvent): void {
    const { events, log } = this.#init;
    events.publish(event);
    if (event.kind === 'sequence') log.info({ sequence: event.sequence, action: event.action }, 'sequence');
    if (event.kind === 'sequence-failed' && event.error.code === 'fatal') {
      log.error({ sequence: event.sequence, error: event.error.message }, 'sequence failed');
    }
    if (event.kind === 'sequence' || event.kind === 'sequence-failed') this.#status.take(event);
  }
}
