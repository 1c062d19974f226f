import type { BulkReads } from './bulk-reads.ts';

/** With so many streams there is at most one call, from its client to its backend. */
const aloneStreams = 2;

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
  /** Streams of all connections, of both roles. */
  #streams = 0;
  /** A socket is being read: the end of the read decides when the turn runs. */
  #isReading = false;
  #isRunning = false;
  #isScheduled = false;
  readonly #bulkReads: BulkReads;
  readonly #onImmediate = () => {
    this.#isScheduled = false;
    this.#run();
  };

  constructor(bulkReads: BulkReads) {
    this.#bulkReads = bulkReads;
  }

  streamOpened(): void {
    this.#streams += 1;
  }

  streamClosed(): void {
    this.#streams -= 1;
  }

  /** The bytes of one read are passed on until `endRead`. */
  beginRead(): void {
    this.#isReading = true;
  }

  /**
   * Runs the turn at once if the read is worth a write of its own, or if no other call can add to it. `setImmediate` would be a detour, and
   * more: Node reports the end of a TLS write with another `setImmediate`, so a write inside one costs a further turn of the event loop.
   */
  endRead(isLarge: boolean): void {
    this.#isReading = false;
    if (this.#count === 0) return;
    // A write of the turn that runs may make its socket read.
    if (!this.#isRunning && (isLarge || this.#streams <= aloneStreams)) this.#run();
    else this.#schedule();
  }

  request(taker: TurnTaker): void {
    if (taker.turnDue) return;
    taker.turnDue = true;
    this.#due[this.#count] = taker;
    this.#count += 1;
    if (this.#count === 1 && !this.#isReading) this.#schedule();
  }

  #run(): void {
    let isComplete = false;
    this.#isRunning = true;
    try {
      this.#turn();
      isComplete = true;
    } finally {
      this.#isRunning = false;
      // A receiver has thrown: that must not stop the other connections for good.
      if (!isComplete) this.#schedule();
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#onImmediate);
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
