export interface StartLimits {
  /** Calls of one caller that may begin at once: at first, and after many of them have ended. */
  readonly fewest: number;
  readonly most: number;
  /** Limit on calls under way of all callers together whose window is below `most`. A caller's first call ignores it. */
  readonly crowd: number;
  /** A call whose answer has begun, such as a watch, keeps its place for so long, in milliseconds. */
  readonly spacingMs: number;
  /** A call that has no answer by then makes room for the next one, in milliseconds. */
  readonly holdMs: number;
}

/** The place of a call among those of its caller. */
export interface CallStart {
  /** Resolves when the call may be made, or has left; undefined when it may be made at once. */
  readonly turn: Promise<void> | undefined;
  /** The call was made. It keeps others back until it leaves, for `holdMs` at most. */
  made(): void;
  /** The answer has begun: what a call costs at its start is spent. */
  answering(): void;
  /** The call is over; `cancelled` when the caller took it back. Only the first time counts. */
  leave(cancelled: boolean): void;
}

/** Callers without calls whose window is remembered. */
const rememberedCallers = 1024;

interface Account {
  begun: number;
  /** How many may begin at once. */
  window: number;
  /** In the order of their arrival. */
  readonly waiting: Set<() => void>;
}

/**
 * Lets few calls of each caller begin at a time. A caller who opens hundreds of calls at once waits for himself: a daemon
 * behind the gateway serves the calls of others in between, and a call that is cancelled while it waits never reaches it.
 * The number that may begin follows what becomes of them, as a congestion window does: each call that ends with an answer
 * makes room for one more, each that stays open for one less, and a cancel halves it and keeps its place for a while. The
 * number of waiting calls is bounded by the number of open calls of the caller.
 */
export class StartQueue {
  readonly #limits: StartLimits;
  /** The one that began a call last is last. */
  readonly #accounts = new Map<string, Account>();
  /** The windows of callers that have no call now, the one that was here last is last. */
  readonly #windows = new Map<string, number>();
  /** Calls that keep a place, of the callers whose window is below `most`: one with a full window keeps nobody waiting. */
  #crowd = 0;

  constructor(limits: StartLimits) {
    this.#limits = limits;
  }

  /** Callers with calls that begin or wait. */
  get size(): number {
    return this.#accounts.size;
  }

  enter(caller: string): CallStart {
    const { spacingMs, holdMs } = this.#limits;
    const account = this.#accounts.get(caller) ?? this.#open(caller);
    // Who has nothing under way and nothing waiting is not kept waiting by what others do.
    const isFirst = account.begun === 0 && account.waiting.size === 0;
    const waiting = isFirst || this.#mayBegin(account) ? undefined : Promise.withResolvers<void>();
    if (waiting === undefined) this.#count(account, 1);
    else account.waiting.add(waiting.resolve);
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    /** Its place is given up, which may be later than its end. */
    let hasLeft = false;
    const leave = (window: number) => {
      hasLeft = true;
      clearTimeout(timer);
      this.#setWindow(account, window);
      this.#count(account, -1);
      if (account.begun === 0 && account.waiting.size === 0) this.#close(caller, account);
      this.#wake();
    };
    const leaveIn = (ms: number, change = 1) => {
      if (hasLeft) return;
      clearTimeout(timer);
      timer = setTimeout(() => leave(account.window - change), ms);
      timer.unref();
    };
    return {
      turn: waiting?.promise,
      leave: (cancelled) => {
        if (hasLeft || isOver) return;
        isOver = true;
        // A call that is still waiting gives up its place, not the one of a call that has begun.
        if (waiting !== undefined && account.waiting.delete(waiting.resolve)) {
          hasLeft = true;
          waiting.resolve();
        } else if (!cancelled) leave(account.window + 1);
        else {
          this.#setWindow(account, Math.floor(account.window / 2));
          // The work that it was for the daemon behind is not undone, and the next one may be cancelled just now.
          leaveIn(spacingMs, 0);
        }
      },
      made: () => leaveIn(holdMs),
      answering: () => leaveIn(spacingMs),
    };
  }

  #open(caller: string): Account {
    const window = this.#windows.get(caller) ?? this.#limits.fewest;
    this.#windows.delete(caller);
    const account: Account = { begun: 0, window, waiting: new Set() };
    this.#accounts.set(caller, account);
    return account;
  }

  /** A caller whose calls were answered keeps its window for later: between two calls it often has none. */
  #close(caller: string, { window }: Account): void {
    this.#accounts.delete(caller);
    if (window === this.#limits.fewest) return;
    this.#windows.set(caller, window);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > rememberedCallers && oldest !== undefined) this.#windows.delete(oldest);
  }

  #mayBegin({ begun, window }: Account): boolean {
    const { most, crowd } = this.#limits;
    return begun < window && (window === most || this.#crowd < crowd);
  }

  #count(account: Account, change: number): void {
    account.begun += change;
    if (account.window < this.#limits.most) this.#crowd += change;
  }

  /** A place is free: callers get what room there is in turns, each for the call that waits longest. */
  #wake(): void {
    const turns = [...this.#accounts].filter(([, { waiting }]) => waiting.size > 0);
    for (const [caller, account] of turns) {
      const [resolve] = account.waiting;
      if (resolve === undefined || !this.#mayBegin(account)) continue;
      account.waiting.delete(resolve);
      this.#count(account, 1);
      resolve();
      this.#accounts.delete(caller);
      this.#accounts.set(caller, account);
      if (account.waiting.size > 0) turns.push([caller, account]);
    }
  }

  #setWindow(account: Account, window: number): void {
    const { fewest, most } = this.#limits;
    const wasFull = account.window === most;
    account.window = Math.max(fewest, Math.min(window, most));
    if (wasFull !== (account.window === most)) this.#crowd += wasFull ? account.begun : -account.begun;
  }
}
