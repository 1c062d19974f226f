import { pauseBy, systemTimers } from '@nodewright/async';
import type { EndpointSet } from '../connection/endpoint-set.ts';
import type { CallOptions } from '../etcd-client.ts';
import { EtcdFault } from '../etcd-fault.ts';
import type { EtcdLease } from './etcd-lease.ts';
import { grant, renew, revoke } from './lease-calls.ts';

/** A stopped cluster must not block the release of a lease. Source: Talos v1.14: etcd locks. */
const revokeTimeoutMs = 10_000;
const retryMs = 250;
const leastTimeoutMs = 1_000;

/** Creates a lease and renews it after every third of its time, at any member that answers. */
export async function keepLease(
  endpoints: EndpointSet,
  ttlSeconds: number,
  options?: CallOptions,
): Promise<EtcdLease> {
  // The time counts from before the request, because the server may have started it before its answer
  // arrived.
  const askedMs = performance.now();
  const { id, ttlSeconds: granted } = await grant(endpoints, ttlSeconds, options);
  const over = new AbortController();
  const stop = AbortSignal.any([over.signal, endpoints.closed]);
  const ttlMs = granted * 1000;
  const lease: Keeping = { id, ttlMs, begunMs: askedMs, stop };
  const keeping = keep(endpoints, lease).then((fault) => over.abort(fault));
  const end = async (given: CallOptions = {}) => {
    over.abort(new EtcdFault('cancelled', 'the lease was ended'));
    await keeping;
    await revoke(endpoints, id, { timeoutMs: revokeTimeoutMs, ...given });
  };
  return {
    id,
    ttlSeconds: granted,
    signal: over.signal,
    leftMs: () => (over.signal.aborted ? 0 : lease.begunMs + ttlMs - performance.now()),
    revoke: end,
    async [Symbol.asyncDispose]() {
      // Without an answer, the lease expires by itself.
      await end().catch(() => {});
    },
  };
}

interface Keeping {
  readonly id: bigint;
  readonly ttlMs: number;
  /** When the current time to live began at the latest, by `performance.now()`; set by each renewal. */
  begunMs: number;
  readonly stop: AbortSignal;
}

/** Renews the lease until it is over, and resolves to the reason. */
async function keep(endpoints: EndpointSet, lease: Keeping): Promise<EtcdFault> {
  const { id, ttlMs, stop } = lease;
  let pauseMs = ttlMs / 3;
  for (;;) {
    await pauseBy(systemTimers, pauseMs, stop);
    if (stop.aborted) return new EtcdFault('cancelled', 'the lease was let go');
    const left = lease.begunMs + ttlMs - performance.now();
    if (left <= 0) {
      const message = `no member of etcd has renewed the lease for ${ttlMs / 1000} s`;
      return new EtcdFault('unavailable', message, { reason: 'lease-lost' });
    }
    const asked = performance.now();
    const timeoutMs = Math.min(left, Math.max(ttlMs / 3, leastTimeoutMs));
    const seconds = await renew(endpoints, id, { timeoutMs, signal: stop, isBackground: true }).catch(
      () => undefined,
    );
    if (seconds === 0) return new EtcdFault('not-found', 'the lease ran out', { reason: 'lease-lost' });
    if (seconds !== undefined) lease.begunMs = asked;
    pauseMs = seconds === undefined ? retryMs : ttlMs / 3;
  }
}
