/** How the number of calls that a connection may have open grows from its first value to its last, and falls again. */
export interface GrowthLimits {
  /** At the beginning of a connection, as long as few others have begun just now. */
  readonly first: number;
  /** How many connections that have begun just now may have `first`. */
  readonly generous: number;
  /** At the beginning of all others, and of any connection once it does not use more. */
  readonly settled: number;
  /** How long a connection keeps what it does not use, in milliseconds, and at most as long again: it begins just now. */
  readonly settleMs: number;
  /** More that are granted at a time, once half of those before are in use. */
  readonly step: number;
  /** Between two grants to connections of one listener, in milliseconds. */
  readonly intervalMs: number;
}

/** The connection whose calls grow. */
export interface GrowingConnection {
  readonly callCount: number;
  /** Lets the client have so many calls open from now on; calls back when it has acknowledged the SETTINGS. */
  allowCalls(count: number, onAcknowledged: () => void): void;
}

/** The calls of one connection. */
export interface CallGrowth {
  /** A call began: more may be wanted now. */
  began(): void;
  /** The connection is closed. */
  close(): void;
}

/**
 * Grants connections more open calls while they use those that they have. One packet can open as many calls as are
 * allowed, and all of them are handled before any other connection is read: with 512 at first, ten connections kept the
 * others waiting for half a second. So a connection begins with fewer, gets a few more at a time, and gives back what it
 * does not use, so that nobody gathers connections which are all allowed many calls.
 */
export class CallGrowths {
  readonly #waiting = new Set<() => void>();
  readonly #settling = new Set<() => void>();
  /** Connections that began with `first` just now. */
  #generous = 0;
  #growTimer: NodeJS.Timeout | undefined;
  #settleTimer: NodeJS.Timeout | undefined;

  /** How many calls a connection that begins now may have open: what its client is told first. */
  firstOf({ first, generous, settled }: GrowthLimits): number {
    return this.#generous < generous ? first : Math.min(first, settled);
  }

  /** @param first how many calls this connection may have open at first, as `firstOf` returned it */
  open(connection: GrowingConnection, limits: GrowthLimits, first: number, most: number): CallGrowth {
    let allowed = Math.min(first, most);
    /** The next change waits for its turn, or for the acknowledgement of the client. */
    let isPending = false;
    /** The most calls that were open since the last look at what is not used. */
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
    const noLongerNew = () => {
      if (isGenerous) this.#generous -= 1;
      isGenerous = false;
    };
    const settle = () => {
      age += 1;
      if (age === 1) return;
      noLongerNew();
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
        noLongerNew();
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
