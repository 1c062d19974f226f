/** The event loop as passes use it: a clock, and a callback for the next turn. */
export interface EventLoop {
  /** Milliseconds from an arbitrary start; it never goes back. */
  now(): number;
  /** Calls `action` after everything that is due in this turn. */
  nextTurn(action: () => void): void;
}

export const systemEventLoop: EventLoop = {
  now: () => performance.now(),
  nextTurn: (action) => void setImmediate(action),
};

/** How long all passes together may work in one turn of the event loop, in milliseconds. */
export const turnShareMs = 10;

/**
 * The share that passes may use of each turn of the event loop. Node.js runs callbacks of resolved promises
 * before anything else. So a pass that makes ten thousand calls to a store in memory would block everything
 * else until its end. Once the share is used up, one pass continues in each further turn. Passes that have
 * begun go first. Otherwise a controller that reads the outputs of a long pass would run again and again,
 * each time with a few more of them.
 */
export class TurnShare {
  readonly #loop: EventLoop;
  /** When the first work of this turn began; undefined while there was none. */
  #beganMs: number | undefined;
  readonly #begun: (() => void)[] = [];
  readonly #starting: (() => void)[] = [];

  constructor(loop: EventLoop = systemEventLoop) {
    this.#loop = loop;
  }

  /**
   * Call it before each piece of a pass. Undefined: the piece may begin now; otherwise when the promise
   * resolves.
   */
  take(): Promise<void> | undefined {
    return this.#isUsedUp() ? wait(this.#begun) : undefined;
  }

  /** Call it before a pass begins. Undefined: it may begin now; otherwise when the promise resolves. */
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
