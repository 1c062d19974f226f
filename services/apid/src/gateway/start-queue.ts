import { systemTimers, type Timers } from '@nodewright/async';
import { Chain, type Link } from './chain.ts';

export interface StartLimits {
  /** Smallest and largest window: how many calls of one caller may be starting at the same time. */
  readonly fewest: number;
  readonly most: number;
  /**
   * The same for a caller whose window is `most` while no other caller has starting or waiting calls. There is nobody to protect
   * then, and a backend that has more calls at hand answers more of them at once.
   */
  readonly mostAlone: number;
  /**
   * Maximum number of starting calls of all callers whose window is below `most`. The first call of a caller
   * is exempt.
   */
  readonly crowd: number;
  /** How long a call keeps its place after its response has begun, or after it was cancelled or has failed, in milliseconds. */
  readonly spacingMs: number;
  /** A call without a response gives up its place this long after its start, in milliseconds. */
  readonly holdMs: number;
}

/** A call that waits for its turn. */
export interface StartingCall {
  /** The call may start. Called at most once, and not when the call has left the queue. It must not throw. */
  begin(): void;
}

/** The place of one call in the queue of its caller. A call that may start keeps it until `leave`, but for at most `holdMs`. */
export interface CallStart {
  /** Whether the call must wait for `begin`; otherwise it may start at once. */
  readonly waits: boolean;
  /** The call cannot be sent now: it gives up its place as if it had never had one, and may enter the queue again. */
  giveBack(): void;
  /** The response has begun, so the expensive start of the call is over. */
  answering(): void;
  /** Ends the call; `cancelled` when the client cancelled it, `failed` when its status is not OK. Does nothing when repeated. */
  leave(cancelled: boolean, failed?: boolean): void;
}

/** Maximum number of callers without calls whose window is remembered. */
const rememberedCallers = 1024;
/** The shorter of `spacingMs` and `holdMs` has so many steps. In each, the queue looks at most once for places whose time has come. */
const timeSteps = 2;

/** A caller. */
class Account implements Link<Account> {
  chain: object | undefined;
  previous: Account | undefined;
  next: Account | undefined;
  begun = 0;
  /** Maximum number of calls that may be starting at the same time. */
  window: number;
  /** When the last call ended, as a number that grows with each such event. */
  idleSince = 0;
  /** Waiting calls in order of arrival. */
  readonly waiting = new Chain<Place>();

  constructor(window: number) {
    this.window = window;
  }

  get isIdle(): boolean {
    return this.begun === 0 && this.waiting.first === undefined;
  }
}

/**
 * Limits how many calls of each caller are starting at the same time. The further calls of a caller wait, so
 * that a backend serves other callers in between. A call that is cancelled while it waits never reaches the
 * backend. The limit is a window that changes like a congestion window. A call that succeeds increases it by
 * one, a call that fails or stays open decreases it by one, and a cancel halves it. The limit on open calls of
 * a caller also limits the number of waiting calls. A call that was cancelled or failed keeps its place for a while, so a
 * caller of which no call succeeds starts at most `fewest` calls per `spacingMs`.
 */
export class StartQueue {
  readonly #limits: StartLimits;
  readonly #stepMs: number;
  /** The callers with calls, and those without whose window is remembered. */
  readonly #accounts = new Map<string, Account>();
  /** Callers with waiting calls, in the order of turns: a caller moves to the end when one of them starts. */
  readonly #turns = new Chain<Account>();
  /** Places that are given up at a certain time. */
  readonly #timed = new Chain<Place>();
  /** When to look at them again. */
  #nextLookMs = 0;
  /** Whether a timer for that runs. */
  #isAwaited = false;
  readonly #nowMs: () => number;
  readonly #timers: Pick<Timers, 'after'>;
  #idle = 0;
  #idleEvents = 0;
  #isWaking = false;
  /**
   * Starting calls of callers whose window is below `most`. Calls of a caller with a full window do not delay
   * others.
   */
  #crowd = 0;

  /** @param nowMs a monotonic clock */
  constructor(
    limits: StartLimits,
    nowMs: () => number = () => performance.now(),
    timers: Pick<Timers, 'after'> = systemTimers,
  ) {
    this.#limits = limits;
    this.#stepMs = Math.min(limits.spacingMs, limits.holdMs) / timeSteps;
    this.#nowMs = nowMs;
    this.#timers = timers;
  }

  /** Number of callers with starting or waiting calls. */
  get size(): number {
    return this.#accounts.size - this.#idle;
  }

  enter(caller: string, call: StartingCall): CallStart {
    if (this.#timed.first !== undefined) this.#look();
    const account = this.#accounts.get(caller) ?? this.#open(caller);
    const { isIdle } = account;
    if (isIdle) this.#idle -= 1;
    // A caller with no starting and no waiting call never waits for other callers.
    if (isIdle || this.#mayBegin(account)) {
      this.#count(account, 1);
      const started = new Place(this, account, undefined);
      this.#leaveIn(started, this.#limits.holdMs);
      return started;
    }
    const place = new Place(this, account, call);
    if (account.waiting.first === undefined) this.#turns.add(account);
    account.waiting.add(place);
    this.#await();
    return place;
  }

  /** The call gives up its place by itself after `spacingMs`, unless it does so before. */
  space(place: Place): void {
    this.#leaveIn(place, this.#limits.spacingMs);
  }

  /** The last call of the caller was cancelled, or it failed. */
  shrink(account: Account, cancelled: boolean): void {
    const { window } = account;
    this.#setWindow(account, cancelled ? Math.floor(window / 2) : window - 1);
  }

  /** A waiting call ends before its turn. Returns `false` when it was not waiting. */
  withdraw(place: Place, account: Account): boolean {
    if (!account.waiting.delete(place)) return false;
    if (account.waiting.first === undefined) this.#turns.delete(account);
    if (account.isIdle) this.#close(account);
    return true;
  }

  /** A call gives up its place; `change` is added to the window of its caller. */
  leave(place: Place, account: Account, change: number): void {
    this.#timed.delete(place);
    this.#setWindow(account, account.window + change);
    this.#count(account, -1);
    if (account.isIdle) this.#close(account);
    if (this.#turns.first !== undefined) this.#wake();
  }

  #leaveIn(place: Place, afterMs: number): void {
    place.dueMs = this.#nowMs() + afterMs;
    if (place.chain === undefined) this.#timed.add(place);
    this.#await();
  }

  /** Has places given up whose time has come. */
  #look(): void {
    const nowMs = this.#nowMs();
    if (nowMs < this.#nextLookMs) return;
    this.#nextLookMs = nowMs + this.#stepMs;
    for (const place of this.#timed.all()) if (place.dueMs <= nowMs) place.expire();
  }

  /**
   * While no call waits, the next one that enters is early enough to look at the places. A timer for that would wake the process up a hundred
   * times per second, which takes 3 % of its processor time when one call follows the other.
   */
  #await(): void {
    if (this.#isAwaited || this.#turns.first === undefined || this.#timed.first === undefined) return;
    this.#isAwaited = true;
    this.#timers.after(this.#stepMs, () => {
      this.#isAwaited = false;
      this.#look();
      this.#await();
    });
  }

  #open(caller: string): Account {
    const account = new Account(this.#limits.fewest);
    this.#accounts.set(caller, account);
    this.#idle += 1;
    return account;
  }

  /** Remembers the window of a caller, because a caller often has no calls for a short time. */
  #close(account: Account): void {
    account.idleSince = this.#idleEvents++;
    this.#idle += 1;
    if (this.#idle > rememberedCallers) this.#forget();
  }

  /** Forgets half of the callers without calls: those whose last calls ended first. */
  #forget(): void {
    const idle = [...this.#accounts].filter(([, { isIdle }]) => isIdle);
    idle.sort(([, left], [, right]) => left.idleSince - right.idleSince);
    for (const [caller] of idle.slice(0, rememberedCallers / 2)) this.#accounts.delete(caller);
    this.#idle -= rememberedCallers / 2;
  }

  #mayBegin({ begun, window }: Account): boolean {
    const { most, mostAlone, crowd } = this.#limits;
    if (begun < window) return window === most || this.#crowd < crowd;
    return window === most && begun < mostAlone && this.size === 1;
  }

  #count(account: Account, change: number): void {
    account.begun += change;
    if (account.window < this.#limits.most) this.#crowd += change;
  }

  /**
   * Starts waiting calls while there are free places: callers take turns, each with its longest waiting call.
   */
  #wake(): void {
    // A call that begins may end at once and leave: the loop below continues with what that frees.
    if (this.#isWaking) return;
    this.#isWaking = true;
    let account = this.#turns.first;
    try {
      while (account !== undefined) {
        const place = account.waiting.first;
        if (place === undefined || !this.#mayBegin(account)) {
          account = account.next;
          continue;
        }
        this.#turns.delete(account);
        account.waiting.delete(place);
        if (account.waiting.first !== undefined) this.#turns.add(account);
        this.#count(account, 1);
        this.#leaveIn(place, this.#limits.holdMs);
        place.begin();
        account = this.#turns.first;
      }
    } finally {
      this.#isWaking = false;
    }
  }

  #setWindow(account: Account, window: number): void {
    const { fewest, most } = this.#limits;
    const wasFull = account.window === most;
    account.window = Math.max(fewest, Math.min(window, most));
    if (wasFull !== (account.window === most)) this.#crowd += wasFull ? account.begun : -account.begun;
  }
}

/** The place of one call. */
class Place implements CallStart, Link<Place> {
  chain: object | undefined;
  previous: Place | undefined;
  next: Place | undefined;
  /** When the call gives up its place by itself. */
  dueMs = 0;
  readonly #queue: StartQueue;
  readonly #account: Account;
  /** The call that waits for its turn. */
  readonly #call: StartingCall | undefined;
  /** What happens to the window when the time has come: a call that stays open lowers it. */
  #change = -1;
  #isOver = false;
  /** The call has given up its place, which may happen after its end. */
  #hasLeft = false;

  constructor(queue: StartQueue, account: Account, call: StartingCall | undefined) {
    this.#queue = queue;
    this.#account = account;
    this.#call = call;
  }

  get waits(): boolean {
    return this.#call !== undefined;
  }

  begin(): void {
    this.#call?.begin();
  }

  giveBack(): void {
    if (!this.#hasLeft && !this.#isOver) this.#leave(0);
  }

  answering(): void {
    if (!this.#hasLeft) this.#queue.space(this);
  }

  leave(cancelled: boolean, failed = false): void {
    if (this.#hasLeft || this.#isOver) return;
    this.#isOver = true;
    // A call that is still waiting leaves the queue and has no place to give up.
    if (this.#call !== undefined && this.#queue.withdraw(this, this.#account)) this.#hasLeft = true;
    else if (!cancelled && !failed) this.#leave(1);
    else {
      this.#queue.shrink(this.#account, cancelled);
      // Neither undoes the backend's work, and the next call may end in the same way soon.
      this.#change = 0;
      this.#queue.space(this);
    }
  }

  expire(): void {
    if (!this.#hasLeft) this.#leave(this.#change);
  }

  #leave(change: number): void {
    this.#hasLeft = true;
    this.#queue.leave(this, this.#account, change);
  }
}
