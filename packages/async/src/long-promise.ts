/**
 * A promise that may stay pending for weeks, for a loop that waits for it again and again. `Promise.race()` leaves a
 * reaction, with all that it refers to, at each of its promises until that promise settles. A wait here leaves nothing.
 *
 * A rejection counts as handled: `or()` passes it on to those who wait.
 */
export class LongPromise<T> {
  readonly #promise: Promise<T>;
  readonly #waiting = new Set<() => void>();
  #isSettled = false;

  constructor(promise: Promise<T>) {
    this.#promise = promise;
    const settle = () => {
      this.#isSettled = true;
      for (const wake of this.#waiting) wake();
    };
    promise.then(settle, settle);
  }

  /** Number of waits that have not ended. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Settles like the first of the two. `short` must settle soon, because its reaction stays until then. */
  async or<S>(short: Promise<S>): Promise<T | S> {
    const { promise, resolve, reject } = Promise.withResolvers<T | S>();
    const wake = () => resolve(this.#promise);
    short.then(resolve, reject);
    if (this.#isSettled) wake();
    else this.#waiting.add(wake);
    try {
      return await promise;
    } finally {
      this.#waiting.delete(wake);
    }
  }
}
