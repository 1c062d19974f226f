/**
 * How many calls a connection may have open: how the limit grows from its first value to its maximum, and
 * shrinks again.
 */
export interface GrowthLimits {
  /** The first limit of a new connection, unless `generous` other connections are new as well. */
  readonly first: number;
  /** How many new connections may have the limit `first` at the same time. */
  readonly generous: number;
  /**
   * The first limit of all other connections, and the smallest limit of a connection that does not use more.
   */
  readonly settled: number;
  /**
   * How long a connection keeps a limit that it does not use, in milliseconds; at most twice this time. A
   * connection counts as new for as long.
   */
  readonly settleMs: number;
  /** By how much the limit grows at a time, once half of it is in use. */
  readonly step: number;
  /** Time between two increases among all connections of a listener, in milliseconds. */
  readonly intervalMs: number;
}

/** A connection whose limit changes. */
export interface GrowingConnection {
  readonly callCount: number;
  /**
   * Sets how many calls the client may have open. Calls `onAcknowledged` when the client has acknowledged the
   * SETTINGS.
   */
  allowCalls(count: number, onAcknowledged: () => void): void;
}

/** Tracks the limit of one connection. */
export interface CallGrowth {
  /** A call has begun: the limit may have to grow. */
  began(): void;
  /** The connection is closed. */
  close(): void;
}

/**
 * Raises the limit on open calls of a connection while the client uses it. One packet can open as many calls
 * as the limit allows, and all of them are handled before any other connection is read. With an initial limit
 * of 512, ten connections delayed the others by half a second. So the limit starts low, grows in steps, and
 * shrinks when it is not used. A client therefore cannot collect connections that all have a high limit.
 */
export class CallGrowths {
  readonly #waiting = new Set<() => void>();
  readonly #settling = new Set<() => void>();
  /** New connections that started with the limit `first`. */
  #generous = 0;
  #growTimer: NodeJS.Timeout | undefined;
  #settleTimer: NodeJS.Timeout | undefined;

  /** The first limit of a connection that opens now; it goes into the first SETTINGS. */
  firstOf({ first, generous, settled }: GrowthLimits): number {
    return this.#generous < generous ? first : Math.min(first, settled);
  }

  /** @param first the first limit of this connection, as `firstOf` returned it */
  open(connection: GrowingConnection, limits: GrowthLimits, first: number, most: number): CallGrowth {
    let allowed = Math.min(first, most);
    /** Whether a change waits for its turn or for the client's acknowledgement. */
    let isPending = false;
    /** The largest number of open calls since the last time `settle` ran. */
    let peak = 0;
    const allow = (count: number) => {
      allowed = count;
      connection.allowCalls(count, () => {
        isPending = false;
        look();
      });
    };
    const grow = () => allow(Math.min(allowed + limits.step, most));
    let age = 0;
    let isGenerous = first > limits.settled;
    if (isGenerous) this.#generous += 1;
    const endNewness = () => {
      if (isGenerous) this.#generous -= 1;
      isGenerous = false;
    };
    const settle = () => {
      age += 1;
      if (age === 1) return;
      endNewness();
      const fitting = Math.max(limits.settled, 2 * peak);
      peak = connection.callCount;
      if (isPending || fitting >= allowed) return;
      isPending = true;
      allow(fitting);
    };
    const look = () => {
      peak = Math.max(peak, connection.callCount);
      if (allowed > limits.settled) {
        this.#settling.add(settle);
        this.#settleLater(limits.settleMs);
      } else this.#settling.delete(settle);
      if (isPending || allowed === most || 2 * connection.callCount < allowed) return;
      isPending = true;
      this.#waiting.add(grow);
      this.#growSoon(limits.intervalMs);
    };
    look();
    return {
      began: look,
      close: () => {
        endNewness();
        this.#waiting.delete(grow);
        this.#settling.delete(settle);
      },
    };
  }

  #growSoon(intervalMs: number): void {
    if (this.#growTimer !== undefined) return;
    this.#growTimer = setTimeout(() => {
      this.#growTimer = undefined;
      const [next] = this.#waiting;
      if (next === undefined) return;
      this.#waiting.delete(next);
      next();
      if (this.#waiting.size > 0) this.#growSoon(intervalMs);
    }, intervalMs);
  }

  #settleLater(settleMs: number): void {
    if (this.#settleTimer !== undefined || this.#settling.size === 0) return;
    this.#settleTimer = setTimeout(() => {
      this.#settleTimer = undefined;
      for (const settle of this.#settling) settle();
      this.#settleLater(settleMs);
    }, settleMs);
    this.#settleTimer.unref();
  }
}
