export interface StartLimits {
  /** Calls of one caller that may begin at once. */
  readonly atOnce: number;
  /** A call that has no end by then makes room for the next one, in milliseconds. */
  readonly holdMs: number;
}

/** The place of a call among those of its caller. */
export interface CallStart {
  /** Resolves when the call may be made, or has left; undefined when it may be made at once. */
  readonly turn: Promise<void> | undefined;
  /** The call was made. It keeps others back until it leaves, for `holdMs` at most. */
  made(): void;
  /** The call is over. Only the first time counts. */
  leave(): void;
}

interface Account {
  begun: number;
  /** In the order of their arrival. */
  readonly waiting: Set<() => void>;
}

/**
 * Lets few calls of each caller begin at a time. A caller who opens hundreds of calls at once waits for himself: a daemon
 * behind the gateway serves the calls of others in between, and a call that is cancelled while it waits never reaches it.
 * The number of waiting calls is bounded by the number of open calls of the caller.
 */
export class StartQueue {
  readonly #limits: StartLimits;
  readonly #accounts = new Map<string, Account>();

  constructor(limits: StartLimits) {
    this.#limits = limits;
  }

  /** Callers with calls that begin or wait. */
  get size(): number {
    return this.#accounts.size;
  }

  enter(caller: string): CallStart {
    const account = this.#accounts.get(caller) ?? { begun: 0, waiting: new Set() };
    this.#accounts.set(caller, account);
    const waiting = account.begun < this.#limits.atOnce ? undefined : Promise.withResolvers<void>();
    if (waiting === undefined) account.begun += 1;
    else account.waiting.add(waiting.resolve);
    let timer: NodeJS.Timeout | undefined;
    let hasLeft = false;
    const leave = () => {
      if (hasLeft) return;
      hasLeft = true;
      clearTimeout(timer);
      // A call that is still waiting gives up its place, not the one of a call that has begun.
      if (waiting !== undefined && account.waiting.delete(waiting.resolve)) waiting.resolve();
      else this.#next(account);
      if (account.begun === 0 && account.waiting.size === 0) this.#accounts.delete(caller);
    };
    return {
      turn: waiting?.promise,
      leave,
      made: () => {
        if (hasLeft) return;
        timer = setTimeout(leave, this.#limits.holdMs);
        timer.unref();
      },
    };
  }

  /** Gives the place of a call that has left to the one that waits longest. */
  #next(account: Account): void {
    const [resolve] = account.waiting;
    if (resolve === undefined) {
      account.begun -= 1;
      return;
    }
    account.waiting.delete(resolve);
    resolve();
  }
}
