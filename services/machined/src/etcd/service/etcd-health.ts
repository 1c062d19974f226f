import type { EtcdClient } from '@nodewright/etcd';
import { faultFrom } from '@nodewright/fault';
import type { HealthResult } from '@nodewright/services';
import type { EtcdAccess } from '../host/etcd-access.ts';

/** Source: Talos v1.14: health checks, etcd. */
export const etcdHealthTimes = { initialDelayMs: 5000, periodMs: 20_000, timeoutMs: 15_000 } as const;

/** A key that is never written. Reading it requires a quorum. */
const healthKey = 'health';

/**
 * Checks that the node's own etcd answers with a quorum. It reuses its client between checks and replaces it
 * after a failure, because the certificates may have changed.
 */
export class EtcdHealth implements AsyncDisposable {
  readonly #access: Pick<EtcdAccess, 'openLocal'>;
  /**
   * Shared by all checks: a check of an etcd that has exited may overlap with the first check of the next
   * one.
   */
  #client: Promise<EtcdClient> | undefined;

  constructor(access: Pick<EtcdAccess, 'openLocal'>) {
    this.#access = access;
  }

  async check(timeoutMs: number): Promise<HealthResult> {
    this.#client ??= this.#access.openLocal();
    const opened = this.#client;
    try {
      await (await opened).get(healthKey, { timeoutMs });
      return { healthy: true };
    } catch (error) {
      if (this.#client === opened) await this[Symbol.asyncDispose]();
      const { kind, message } = faultFrom(error);
      // etcd denies a read only after it has reached a quorum, so it is healthy.
      return kind === 'permission-denied' ? { healthy: true } : { healthy: false, message };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = this.#client;
    this.#client = undefined;
    const client = await opened?.catch(() => undefined);
    await client?.[Symbol.asyncDispose]();
  }
}
