import type { EtcdClient } from '@nodewright/etcd';
import { faultFrom } from '@nodewright/fault';
import type { HealthResult } from '../../base/domain/service-health.ts';
import type { EtcdAccess } from '../host/etcd-access.ts';

/** Source: Talos v1.14: health checks, etcd. */
export const etcdHealthTimes = { initialDelayMs: 5000, periodMs: 20_000, timeoutMs: 15_000 } as const;

/** A key that is never written: to read it the members have to agree. */
const healthKey = 'health';

/**
 * Whether the node's own etcd answers with the word of a quorum. The client is kept from one check to the next, and made
 * anew after a failure: the certificates may be others.
 */
export class EtcdHealth implements AsyncDisposable {
  readonly #access: Pick<EtcdAccess, 'openLocal'>;
  /** One for all checks: that of an etcd that has ended may still go on when the one of the next begins. */
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
      // It has asked the others before it refused.
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
