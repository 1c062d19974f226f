import { Fault } from '@nodewright/fault';

/** A limited number of calls of one kind that may be open at the same time. */
export class Places {
  readonly #limit: number;
  readonly #what: string;
  #taken = 0;

  /** @param what the calls, for the error */
  constructor(limit: number, what: string) {
    this.#limit = limit;
    this.#what = what;
  }

  get taken(): number {
    return this.#taken;
  }

  /**
   * Takes a place until the result is disposed of.
   *
   * @throws Fault `resource-exhausted` when all are taken
   */
  take(): Disposable {
    if (this.#taken >= this.#limit)
      throw new Fault('resource-exhausted', `${this.#limit} calls of ${this.#what} are open already`);
    this.#taken += 1;
    let isTaken = true;
    return {
      [Symbol.dispose]: () => {
        if (isTaken) this.#taken -= 1;
        isTaken = false;
      },
    };
  }
}
