import { setTimeout as sleep } from 'node:timers/promises';
import type { EtcdClient } from '@nodewright/etcd';

const pauseMs = 20;
const writeTimeoutMs = 5000;

/** Writes to etcd, one key after the other, and records the acknowledged writes. */
export class WriteLedger {
  readonly #client: EtcdClient;
  readonly #prefix: string;
  readonly #acknowledged = new Map<string, string>();
  #unknown = 0;

  constructor(client: EtcdClient, prefix: string) {
    this.#client = client;
    this.#prefix = prefix;
  }

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  /** Writes that failed, or whose result is unknown. */
  get unknown(): number {
    return this.#unknown;
  }

  async writeUntil(signal: AbortSignal): Promise<void> {
    for (let count = 0; !signal.aborted; count += 1) {
      const key = `${this.#prefix}${String(count).padStart(8, '0')}`;
      const value = `value ${count}`;
      try {
        await this.#client.put(key, value, { timeoutMs: writeTimeoutMs });
        this.#acknowledged.set(key, value);
      } catch {
        this.#unknown += 1;
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  /** The keys whose acknowledged value is missing in a linearizable read. */
  async lost(): Promise<string[]> {
    const { keyValues } = await this.#client.list(this.#prefix);
    const there = new Map(keyValues.map(({ key, value }) => [key, Buffer.from(value).toString()]));
    return [...this.#acknowledged].filter(([key, value]) => there.get(key) !== value).map(([key]) => key);
  }
}
