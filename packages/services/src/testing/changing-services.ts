import type { ServiceRecord } from '../domain/service-record.ts';
import type { ServiceRecords } from '../domain/service-records.ts';

/** Services whose records a test sets. */
export class ChangingServices implements ServiceRecords {
  readonly #listeners = new Set<(record: ServiceRecord) => void>();
  #records: ServiceRecord[] = [];

  records(): readonly ServiceRecord[] {
    return this.#records;
  }

  onChange(listener: (record: ServiceRecord) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  /** @param healthy `undefined` while no health check has finished */
  set(id: string, state: ServiceRecord['state'], healthy?: boolean, message = '', isStopped = false): void {
    const health = {
      unknown: healthy === undefined,
      healthy: healthy ?? false,
      lastMessage: '',
      lastChangeMs: undefined,
    };
    const history = [{ state, message, atMs: 0 }];
    this.put({ id, state, isStopped, hasHealthCheck: true, health, history });
  }

  put(record: ServiceRecord): void {
    const { id } = record;
    this.#records = [...this.#records.filter((other) => other.id !== id), record];
    for (const listener of this.#listeners) listener(record);
  }
}
