import type { BulkReads } from './bulk-reads.ts';

/** What has work for the next turn. */
export interface TurnTaker {
  /** Whether it waits for the next turn already; only `Turns` changes it. */
  turnDue: boolean;
  /** Sends the events that wait. May cause output of this and of other connections. */
  deliver(): void;
  /** Writes what was collected to the socket. */
  flush(): void;
}

/**
 * Runs once per turn of the event loop, after all sockets were read: each connection then writes everything
 * that the turn has caused, with one system call.
 */
export class Turns {
  /** The first `#count` take part in the next turn. An array keeps its length: V8 changes it in a slow call of its runtime. */
  #due: (TurnTaker | undefined)[] = [];
  #count = 0;
  #spare: (TurnTaker | undefined)[] = [];
  readonly #bulkReads: BulkReads;
  readonly #run = () => {
    let isComplete = false;
    try {
      this.#turn();
      isComplete = true;
    } finally {
      // A receiver has thrown: that must not stop the other connections for good.
      if (!isComplete) setImmediate(this.#run);
    }
  };

  constructor(bulkReads: BulkReads) {
    this.#bulkReads = bulkReads;
  }

  /** Runs the turn at once, for a read that is worth a write of its own. Only between events, never inside one. */
  runEarly(): void {
    if (this.#count > 0) this.#run();
  }

  request(taker: TurnTaker): void {
    if (taker.turnDue) return;
    taker.turnDue = true;
    this.#due[this.#count] = taker;
    this.#count += 1;
    if (this.#count === 1) setImmediate(this.#run);
  }

  #turn(): void {
    const due = this.#due;
    // Events may make further connections due, or these again; they take part in this turn.
    for (let index = 0; index < this.#count; index += 1) {
      const taker = due[index] as TurnTaker;
      taker.turnDue = false;
      taker.deliver();
    }
    const count = this.#count;
    this.#due = this.#spare;
    this.#count = 0;
    this.#spare = due;
    for (let index = 0; index < count; index += 1) {
      const taker = due[index] as TurnTaker;
      // A connection that has ended must not be kept.
      due[index] = undefined;
      taker.flush();
    }
    this.#bulkReads.afterTurn();
  }
}
