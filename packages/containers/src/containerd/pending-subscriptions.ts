/** Subscriptions that were asked for and may not be in force yet: what is done meanwhile could be missed. */
export interface PendingSubscriptions {
  add(inForce: Promise<void>): void;
  /** Resolves once those that are pending now are in force, or never will be. */
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
