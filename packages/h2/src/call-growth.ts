/** How the number of calls that a connection may have open grows from its first value to its last. */
export interface GrowthLimits {
  readonly first: number;
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
 * others waiting for half a second. So a connection begins with fewer, and gets a few more at a time.
 */
export class CallGrowths {
  readonly #waiting = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;

  open(connection: GrowingConnection, limits: GrowthLimits, most: number): CallGrowth {
    let allowed = Math.min(limits.first, most);
    /** The next step waits for its turn, or for the acknowledgement of the client. */
    let isPending = false;
    const grow = () => {
      allowed = Math.min(allowed + limits.step, most);
      connection.allowCalls(allowed, () => {
        isPending = false;
        look();
      });
    };
    const look = () => {
      if (isPending || allowed === most || 2 * connection.callCount < allowed) return;
      isPending = true;
      this.#waiting.add(grow);
      this.#start(limits.intervalMs);
    };
    return { began: look, close: () => this.#waiting.delete(grow) };
  }

  #start(intervalMs: number): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const [next] = this.#waiting;
      if (next === undefined) return;
      this.#waiting.delete(next);
      next();
      if (this.#waiting.size > 0) this.#start(intervalMs);
    }, intervalMs);
  }
}
