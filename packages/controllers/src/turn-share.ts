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
 */
export class TurnShare {
  readonly #loop: EventLoop;
  /** When the first call of this turn was made; undefined: there was none yet. */
  #beganMs: number | undefined;
  #waiting: (() => void)[] = [];

  constructor(loop: EventLoop = systemEventLoop) {
    this.#loop = loop;
  }

  /** To be called before each piece of work. Undefined: it may begin now; otherwise when the promise resolves. */
  take(): Promise<void> | undefined {
    const nowMs = this.#loop.now();
    if (this.#beganMs === undefined) this.#begin(nowMs);
    else if (nowMs - this.#beganMs >= turnShareMs)
      return new Promise((resolve) => this.#waiting.push(resolve));
    return undefined;
  }

  #begin(nowMs: number): void {
    this.#beganMs = nowMs;
    this.#loop.nextTurn(() => {
      this.#beganMs = undefined;
      const waiting = this.#waiting;
      this.#waiting = [];
      if (waiting.length > 0) this.#begin(this.#loop.now());
      // Each does one piece of work before it asks again, so that none of them waits for another's last one.
      for (const resume of waiting) resume();
    });
  }
}
