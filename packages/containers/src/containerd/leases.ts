import { faultFrom } from '@nodewright/fault';
import type { NamespaceServices } from './containerd-services.ts';

/** When a lease expires that was never ended: long enough to resume a pull on the next day. */
const lifetimeMs = 24 * 60 * 60 * 1000;

/** Creates a lease, or takes over that of an earlier attempt with all that it holds. */
export async function ensureLease(
  leases: NamespaceServices['leases'],
  id: string,
  nowMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const labels = { 'containerd.io/gc.expire': new Date(nowMs + lifetimeMs).toISOString() };
  try {
    await leases.create({ id, labels }, { signal });
  } catch (error) {
    if (faultFrom(error).kind !== 'already-exists') throw error;
  }
}

/** Ends the lease; content without another reference is garbage-collected before this returns. */
export async function endLease(leases: NamespaceServices['leases'], id: string): Promise<void> {
  try {
    await leases.delete({ id, sync: true });
  } catch (error) {
    if (faultFrom(error).kind !== 'not-found') throw error;
  }
}
