import type { Logger, Telemetry } from '@nodewright/telemetry';
import type { ServiceRecord } from '../domain/service-record.ts';
import { Service, type ServiceInit } from './service.ts';
import type { ServiceRecords } from './service-records.ts';

export interface ServiceManagerInit {
  readonly log: Logger;
  readonly telemetry: Telemetry;
  readonly now: () => number;
  /** Told of every new entry of a service's history. */
  readonly onEntry?: (record: ServiceRecord) => void;
}

/** Every service of the node. Disposing it stops them: the last group first, the services of one group together. */
export class ServiceManager implements ServiceRecords, AsyncDisposable {
  readonly #init: ServiceManagerInit;
  readonly #groups: Service[][] = [];
  readonly #listeners = new Set<(record: ServiceRecord) => void>();

  constructor(init: ServiceManagerInit) {
    this.#init = init;
  }

  /** Starts services that belong together. Services of later groups need those of earlier ones. */
  start(definitions: readonly Omit<ServiceInit, 'now' | 'onEntry'>[]): void {
    const { now } = this.#init;
    const group = definitions.map(
      (definition) => new Service({ ...definition, now, onEntry: (record) => this.#take(record) }),
    );
    this.#groups.push(group);
    for (const service of group) service.start();
  }

  /** The records of all services, sorted by id. */
  records(): ServiceRecord[] {
    return this.#groups
      .flat()
      .map(({ record }) => record)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  onChange(listener: (record: ServiceRecord) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const group of this.#groups.toReversed()) await Promise.all(group.map((service) => service.stop()));
  }

  #take(record: ServiceRecord): void {
    this.#tell(record);
    this.#init.onEntry?.(record);
    for (const listener of this.#listeners) listener(record);
  }

  /** One log line and one short span for each entry of a history. */
  #tell({ id, history }: ServiceRecord): void {
    const entry = history.at(-1);
    if (entry === undefined) return;
    const { state, message } = entry;
    const { log, telemetry } = this.#init;
    const span = telemetry.startSpan('service transition', {
      attributes: { 'service.id': id, 'service.state': state, 'service.message': message },
    });
    telemetry.withSpan(span, () => log.info({ service: id, state, message }, 'service changed'));
    span.end();
  }
}
