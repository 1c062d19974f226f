/** The limits on connections; `limits.ts` describes each. */
export interface ConnectionLimits {
  readonly connectionsPerIdentity: number;
  readonly connectionsPerApid: number;
  readonly connections: number;
  readonly reservedConnections: number;
  readonly smallIdentityConnections: number;
}

/** Counts the connections of each identity and of all identities together. */
export class ConnectionShares {
  readonly #limits: ConnectionLimits;
  readonly #perIdentity = new Map<string, number>();
  #open = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** Why this identity must not open another connection, as text; `undefined` when it may. */
  refusal(identity: string, isApid: boolean): string | undefined {
    const limits = this.#limits;
    const own = this.count(identity);
    const ownLimit = isApid ? limits.connectionsPerApid : limits.connectionsPerIdentity;
    if (own >= ownLimit) return `too many connections of this client: the limit is ${ownLimit}`;
    const isSmall = isApid || own < limits.smallIdentityConnections;
    const limit = isSmall ? limits.connections : limits.connections - limits.reservedConnections;
    return this.#open >= limit ? `too many connections on this node: the limit is ${limit}` : undefined;
  }

  /** Number of open connections of this identity. */
  count(identity: string): number {
    return this.#perIdentity.get(identity) ?? 0;
  }

  /** Counts a connection as open until the returned function is called. */
  open(identity: string): () => void {
    this.#open += 1;
    this.#perIdentity.set(identity, (this.#perIdentity.get(identity) ?? 0) + 1);
    return () => {
      this.#open -= 1;
      const left = (this.#perIdentity.get(identity) ?? 1) - 1;
      if (left === 0) this.#perIdentity.delete(identity);
      else this.#perIdentity.set(identity, left);
    };
  }
}
