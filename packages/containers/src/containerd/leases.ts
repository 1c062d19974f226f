import { faultFrom } from '@nodewright/fault';
import type { NamespaceServices } from './containerd-services.ts';

/** When containerd ends a lease that nobody ended: long enough to go on with a pull the next day. */
const lifetimeMs = 24 * 60 * 60 * 1000;

/** Makes sure that a lease is there; one of an earlier try is taken over with all that it holds. */
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

/** Lets go; what nothing else refers to is collected before this returns. */
export async function endLease(leases: NamespaceServices['leases'], id: string): Promise<void> {
  try {
    await leases.delete({ id, sync: true });
  } catch (error) {
    if (faultFrom(error).kind !== 'not-found') throw error;
  }
}
