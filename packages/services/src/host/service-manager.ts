import { ChangeSignal, pauseBy, type Timers } from '@nodewright/async';
import type { FollowingService } from '@nodewright/controllers';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import { dependentsBudgetMs } from '../domain/dependents-budget.ts';
import { type ServiceGraph, stopPlan, withServices } from '../domain/service-graph.ts';
import type { ServiceLife } from '../domain/service-life.ts';
import type { ServiceRecord } from '../domain/service-record.ts';
import type { ServiceRecords } from '../domain/service-records.ts';
import { Service, type ServiceDefinition } from './service.ts';
import { createServiceCondition } from './service-condition.ts';

export interface ServiceManagerInit {
  readonly log: Logger;
  readonly telemetry: Telemetry;
  readonly timers: Timers;
  /** Whether other services may depend on a service before it is declared; default no. */
  readonly mayComeLater?: (id: string) => boolean;
}

/**
 * Every service of the node. Each one starts once its dependencies are up, in parallel where possible; they
 * are stopped in reverse order. Disposing of the manager stops them all, and nothing can be declared or
 * started after that.
 */
export class ServiceManager implements ServiceRecords, AsyncDisposable {
  readonly #init: ServiceManagerInit;
  readonly #services = new Map<string, Service>();
  readonly #listeners = new Set<(record: ServiceRecord) => void>();
  /** Notified when a service goes up or down, or is declared. */
  readonly #changed = new ChangeSignal();
  #graph: ServiceGraph = new Map();
  #isClosed = false;

  constructor(init: ServiceManagerInit) {
    this.#init = init;
  }

  /**
   * Declares services without starting them.
   *
   * @throws Fault as `withServices()` does; nothing is declared then.
   */
  declare(definitions: readonly ServiceDefinition[]): void {
    if (this.#isClosed) return;
    this.#graph = withServices(this.#graph, definitions, this.#init.mayComeLater ?? (() => false));
    for (const definition of definitions) {
      this.#services.set(definition.id, this.#service(definition));
    }
    this.#changed.notify();
  }

  /** Starts declared services. Services that run are unchanged. */
  start(ids: Iterable<string>): void {
    if (this.#isClosed) return;
    for (const id of ids) this.#services.get(id)?.start();
  }

  /** Declares services and starts them. */
  add(definitions: readonly ServiceDefinition[]): void {
    this.declare(definitions);
    this.start(definitions.map(({ id }) => id));
  }

  /**
   * Stops exactly these services in parallel, and resolves when they are down.
   *
   * @param message the entry in their history; default that they finished
   */
  async stop(ids: Iterable<string>, message?: string): Promise<void> {
    await Promise.all([...ids].map((id) => this.#services.get(id)?.stop(message)));
  }

  /**
   * Stops services and all that depend on them, in order: the waits for each other take 30 s at most in
   * total.
   */
  async stopWithDependents(ids: Iterable<string>): Promise<void> {
    const plan = stopPlan(this.#graph, ids);
    const done = new AbortController();
    const budget = pauseBy(this.#init.timers, dependentsBudgetMs, done.signal);
    const stops = new Map<string, Promise<void>>();
    const stopOf = (id: string): Promise<void> => {
      const stop = stops.get(id) ?? this.#stopAfter(id, (plan.get(id) ?? []).map(stopOf), budget);
      stops.set(id, stop);
      return stop;
    };
    try {
      await Promise.all([...plan.keys()].map(stopOf));
    } finally {
      done.abort();
    }
  }

  /** The state of a service; undefined when it is not declared. */
  lifeOf(id: string): ServiceLife | undefined {
    return this.#services.get(id)?.life;
  }

  /**
   * Shows a controller whether a service has failed, so that it starts the service again.
   *
   * @param when `starting` for a service whose own policy decides what follows the end of its runner
   */
  failureOf(
    id: string,
    when: 'ever' | 'starting' = 'ever',
  ): Required<Pick<FollowingService, 'hasFailed' | 'onFailure'>> {
    const kind = when === 'starting' ? 'hasFailedToStart' : 'hasFailed';
    return {
      hasFailed: () => this.#services.get(id)?.[kind] ?? false,
      onFailure: (listener) =>
        this.onChange((record) => {
          if (record.id === id && record.state === 'Failed') listener();
        }),
    };
  }

  /** The records of all services, sorted by id. */
  records(): ServiceRecord[] {
    return [...this.#services.values()].map(({ record }) => record).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  onChange(listener: (record: ServiceRecord) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.stopWithDependents(this.#services.keys());
  }

  #service(definition: ServiceDefinition): Service {
    const recordOf = (id: string) => this.#services.get(id)?.record;
    const { dependsOn = [], conditions = [] } = definition;
    return new Service({
      ...definition,
      conditions: [
        ...dependsOn.map((id) => createServiceCondition(id, recordOf, this.#changed)),
        ...conditions,
      ],
      timers: this.#init.timers,
      onEntry: (record) => this.#take(record),
    });
  }

  async #stopAfter(id: string, dependents: readonly Promise<void>[], budget: Promise<void>): Promise<void> {
    let areDown = false;
    const down = Promise.all(dependents).then(() => {
      areDown = true;
    });
    await Promise.race([down, budget]);
    if (!areDown) this.#init.log.warn({ service: id }, 'gave up on services that need the one to be stopped');
    const service = this.#services.get(id);
    if (this.#isClosed) await service?.prepareEnd();
    await service?.stop();
  }

  #take(record: ServiceRecord): void {
    this.#tell(record);
    for (const listener of this.#listeners) listener(record);
    this.#changed.notify();
  }

  /** One log line and one short span per entry of a history. */
  #tell({ id, history }: ServiceRecord): void {
    const entry = history.at(-1);
    if (entry === undefined) return;
    const { state, message } = entry;
    const { log, telemetry } = this.#init;
    const span = telemetry.startSpan('service transition', {
      attributes: {
        'nodewright.service.id': id,
        'nodewright.service.state': state,
        'nodewright.service.message': message,
      },
    });
    telemetry.withSpan(span, () => log.info({ service: id, state, message }, 'service changed'));
    span.end();
  }
}
