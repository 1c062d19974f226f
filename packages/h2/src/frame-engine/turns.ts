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
  #due: TurnTaker[] = [];
  #spare: TurnTaker[] = [];
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

  request(taker: TurnTaker): void {
    if (taker.turnDue) return;
    taker.turnDue = true;
    this.#due.push(taker);
    if (this.#due.length === 1) setImmediate(this.#run);
  }

  #turn(): void {
    const due = this.#due;
    // Events may make further connections due, or these again; they take part in this turn.
    for (let index = 0; index < due.length; index += 1) {
      const taker = due[index] as TurnTaker;
      taker.turnDue = false;
      taker.deliver();
    }
    this.#due = this.#spare;
    for (const taker of due) taker.flush();
    due.length = 0;
    this.#spare = due;
  }
}
