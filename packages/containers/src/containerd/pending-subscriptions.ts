/**
 * Subscriptions that were requested but may not be active yet: events of calls in the meantime could be
 * missed.
 */
export interface PendingSubscriptions {
  add(inForce: Promise<void>): void;
  /** Resolves once all subscriptions that are pending now are active, or have failed. */
  settled(): Promise<void>;
}

export function createPendingSubscriptions(): PendingSubscriptions {
  const pending = new Set<Promise<void>>();
  return {
    add(inForce) {
      const entry = inForce.catch(() => undefined).finally(() => pending.delete(entry));
      pending.add(entry);
    },
    async settled() {
      if (pending.size > 0) await Promise.all(pending);
    },
  };
}
