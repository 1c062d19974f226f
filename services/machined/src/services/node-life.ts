import type { Logger } from '@nodewright/telemetry';
import type { NodeEvent } from '../domain/node-event.ts';
import { type Phase, runSequence, type Sequence } from '../domain/run-sequence.ts';
import { isUpOrFinished, type ServiceRecord } from '../domain/service-record.ts';
import { ChangeSignal } from '../host/change-signal.ts';
import type { EventStore } from '../host/event-store.ts';

export interface NodeLifeInit {
  readonly events: EventStore;
  readonly log: Logger;
  /** The services that were declared so far; those that were never started are not waited for. */
  readonly records: () => readonly ServiceRecord[];
}

/** Source: Talos v1.14: sequences, initialize. */
export interface InitializeTasks {
  readonly startMachined: () => void;
  readonly startApid: () => Promise<void>;
  /** Ends when there is a configuration that the node can boot with. */
  readonly loadConfig: (signal: AbortSignal) => Promise<void>;
}

/** Aborts nothing: these sequences always go to their end. */
const never = new AbortController().signal;

/** What the node goes through as a whole: its sequences and its stage, told as events. */
export class NodeLife {
  readonly #init: NodeLifeInit;
  readonly #serviceChanged = new ChangeSignal();

  constructor(init: NodeLifeInit) {
    this.#init = init;
  }

  /** @throws what a task of the sequence failed with. */
  async run(sequence: Sequence, signal: AbortSignal): Promise<void> {
    await runSequence(sequence, (event) => this.#tell(event), signal);
  }

  /** The sequence that comes first: the services of every node, maintenance included, and then the configuration. */
  async initialize(
    { startMachined, startApid, loadConfig }: InitializeTasks,
    signal: AbortSignal,
  ): Promise<void> {
    const phases: readonly Phase[] = [
      { name: 'earlyServices', tasks: { startMachined, startApid } },
      { name: 'config', tasks: { loadConfig } },
    ];
    await this.run({ name: 'initialize', phases }, signal);
  }

  /** The sequence that starts the other services and ends once each of them is up or has done its work. */
  async boot(startServices: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const startAllServices = async (taskSignal: AbortSignal) => {
      await startServices();
      const isWaitedFor = (record: ServiceRecord) =>
        record.state !== 'Initialized' && !isUpOrFinished(record);
      while (!taskSignal.aborted && this.#init.records().some(isWaitedFor)) {
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
    this.#serviceChanged.notify();
  }

  #tell(event: NodeEvent): void {
    const { events, log } = this.#init;
    events.publish(event);
    if (event.kind === 'sequence') log.info({ sequence: event.sequence, action: event.action }, 'sequence');
    if (event.kind === 'sequence-failed' && event.error.code === 'fatal') {
      log.error({ sequence: event.sequence, error: event.error.message }, 'sequence failed');
    }
  }
}
