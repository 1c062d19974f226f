export interface StartLimits {
  /** Smallest and largest window: how many calls of one caller may be starting at the same time. */
  readonly fewest: number;
  readonly most: number;
  /**
   * Maximum number of starting calls of all callers whose window is below `most`. The first call of a caller
   * is exempt.
   */
  readonly crowd: number;
  /** How long a call keeps its place after its response has begun, or after a cancel, in milliseconds. */
  readonly spacingMs: number;
  /** A call without a response gives up its place after this time, in milliseconds. */
  readonly holdMs: number;
}

/** The place of one call in the queue of its caller. */
export interface CallStart {
  /**
   * Resolves when the call may start, or when it has left the queue; `undefined` when it may start at once.
   */
  readonly turn: Promise<void> | undefined;
  /** The call was sent. It keeps its place until `leave`, but for at most `holdMs`. */
  made(): void;
  /** The response has begun, so the expensive start of the call is over. */
  answering(): void;
  /** Ends the call; `cancelled` when the client cancelled it. Does nothing when repeated. */
  leave(cancelled: boolean): void;
}

/** Maximum number of callers without calls whose window is remembered. */
const rememberedCallers = 1024;

interface Account {
  begun: number;
  /** Maximum number of calls that may be starting at the same time. */
  window: number;
  /** Waiting calls in order of arrival. */
  readonly waiting: Set<() => void>;
}

/**
 * Limits how many calls of each caller are starting at the same time. The further calls of a caller wait, so
 * that a backend serves other callers in between. A call that is cancelled while it waits never reaches the
 * backend. The limit is a window that changes like a congestion window. A call that ends with a response
 * increases it by one, a call that stays open decreases it by one, and a cancel halves it. The limit on open
 * calls of a caller also limits the number of waiting calls.
 */
export class StartQueue {
  readonly #limits: StartLimits;
  /** In the order of turns: a caller moves to the end when one of its waiting calls starts. */
  readonly #accounts = new Map<string, Account>();
  /** Windows of callers without calls, in the order in which their last calls ended. */
  readonly #windows = new Map<string, number>();
  /**
   * Starting calls of callers whose window is below `most`. Calls of a caller with a full window do not delay
   * others.
   */
  #crowd = 0;

  constructor(limits: StartLimits) {
    this.#limits = limits;
  }

  /** Number of callers with starting or waiting calls. */
  get size(): number {
    return this.#accounts.size;
  }

  enter(caller: string): CallStart {
    const { spacingMs, holdMs } = this.#limits;
    const account = this.#accounts.get(caller) ?? this.#open(caller);
    // A caller with no starting and no waiting call never waits for other callers.
    const isFirst = account.begun === 0 && account.waiting.size === 0;
    const waiting = isFirst || this.#mayBegin(account) ? undefined : Promise.withResolvers<void>();
    if (waiting === undefined) this.#count(account, 1);
    else account.waiting.add(waiting.resolve);
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    /** The call has given up its place, which may happen after its end. */
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
        // A call that is still waiting leaves the queue and has no place to give up.
        if (waiting !== undefined && account.waiting.delete(waiting.resolve)) {
          hasLeft = true;
          waiting.resolve();
        } else if (!cancelled) leave(account.window + 1);
        else {
          this.#setWindow(account, Math.floor(account.window / 2));
          // The cancel does not undo the backend's work, and the next call may be cancelled soon too.
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

  /** Remembers the window of a caller, because a caller often has no calls for a short time. */
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

  /**
   * Starts waiting calls while there are free places: callers take turns, each with its longest waiting call.
   */
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
