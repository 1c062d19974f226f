import type { Timers } from '@nodewright/async';
import type { ServerConnection } from './engine.ts';

/** Drains a connection that has no call for some time: its slot is free for another client. */
export class IdleWatch implements Disposable {
  readonly #connection: ServerConnection;
  readonly #idleMs: number;
  readonly #timers: Timers;
  #timer: Disposable;
  #hasBegun = false;
  #isDrained = false;

  /**
   * @param idleMs how often to check, in milliseconds. A connection is drained at a check when it has had no call
   * since the one before, so after one or two times this long.
   */
  constructor(connection: ServerConnection, idleMs: number, timers: Timers) {
    this.#connection = connection;
    this.#idleMs = idleMs;
    this.#timers = timers;
    this.#timer = this.#schedule();
  }

  /** A call has begun. */
  began(): void {
    this.#hasBegun = true;
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  #schedule(): Disposable {
    return this.#timers.after(this.#idleMs, () => this.#check());
  }

  #check(): void {
    const isIdle = !this.#hasBegun && this.#connection.callCount === 0;
    // A client that does not read the GOAWAY keeps the connection open.
    if (isIdle && this.#isDrained) {
      this.#connection.destroy();
      return;
    }
    if (isIdle) {
      this.#isDrained = true;
      this.#connection.drain();
    }
    this.#hasBegun = false;
    this.#timer = this.#schedule();
  }
}
