/** The event loop as passes see it: how the time goes, and when its next turn begins. */
export interface EventLoop {
  /** Milliseconds from any start; it never goes back. */
  now(): number;
  /** Calls `action` once everything has run that is due in this turn. */
  nextTurn(action: () => void): void;
}

export const systemEventLoop: EventLoop = {
  now: () => performance.now(),
  nextTurn: (action) => void setImmediate(action),
};

/** How long all passes together work in one turn of the event loop, in milliseconds. */
export const turnShareMs = 10;

/**
 * What passes may use of each turn of the event loop. A promise that has a value already runs before anything else in
 * Node.js: a pass that makes ten thousand calls to a store in memory would otherwise keep everybody waiting to its end.
 *
 * Once a turn is used up, one pass goes on in each further turn. Those that have begun go first: whoever reads what a
 * long pass writes would otherwise begin again and again, each time with a little more of it.
 */
export class TurnShare {
  readonly #loop: EventLoop;
  /** When the first work of this turn was asked for; undefined: there was none yet. */
  #beganMs: number | undefined;
  readonly #begun: (() => void)[] = [];
  readonly #starting: (() => void)[] = [];

  constructor(loop: EventLoop = systemEventLoop) {
    this.#loop = loop;
  }

  /** To be called before each piece of a pass. Undefined: it may begin now; otherwise when the promise resolves. */
  take(): Promise<void> | undefined {
    return this.#isUsedUp() ? wait(this.#begun) : undefined;
  }

  /** To be called before a pass begins. Undefined: it may begin now; otherwise when the promise resolves. */
  start(): Promise<void> | undefined {
    const isAnyWaiting = this.#begun.length + this.#starting.length > 0;
    return this.#isUsedUp() || isAnyWaiting ? wait(this.#starting) : undefined;
  }

  #isUsedUp(): boolean {
    const nowMs = this.#loop.now();
    if (this.#beganMs === undefined) this.#begin(nowMs);
    return this.#beganMs !== undefined && nowMs - this.#beganMs >= turnShareMs;
  }

  #begin(nowMs: number): void {
    this.#beganMs = nowMs;
    this.#loop.nextTurn(() => {
      this.#beganMs = undefined;
      const resume = this.#begun.shift() ?? this.#starting.shift();
      if (resume === undefined) return;
      this.#begin(this.#loop.now());
      resume();
    });
  }
}

function wait(queue: (() => void)[]): Promise<void> {
  return new Promise((resolve) => queue.push(resolve));
}
