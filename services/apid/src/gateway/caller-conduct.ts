import { type RateLimits, TokenBucket } from '@nodewright/h2';

/** The limits on useless calls; `limits.ts` describes each. */
export interface ConductLimits {
  readonly cancels: RateLimits;
  readonly refusals: RateLimits;
  readonly lines: RateLimits;
  /**
   * Length of the first pause of a caller over a limit, in milliseconds. Each repeated pause is twice as
   * long.
   */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
  readonly rememberedIdentities: number;
}

interface Account {
  readonly cancels: TokenBucket;
  readonly refusals: TokenBucket;
  readonly lines: TokenBucket;
  linesLeftOut: number;
  pause: Pause | undefined;
}

interface Pause {
  readonly why: 'cancelled' | 'refused';
  readonly endMs: number;
  readonly lengthMs: number;
}

/**
 * Counts the cancelled calls, the refused calls and their log lines per identity. An identity over a limit is
 * paused: its new calls are refused. Its new connections are refused too when it made too many refused calls.
 */
export class CallerConduct {
  readonly #limits: ConductLimits;
  readonly #accounts = new Map<string, Account>();

  constructor(limits: ConductLimits) {
    this.#limits = limits;
  }

  /** The identity cancelled a call. Returns `false` when it cancels too often. */
  cancelled(identity: string, nowMs: number): boolean {
    const account = this.#account(identity, nowMs);
    return account.cancels.take(nowMs) || this.#pause(account, 'cancelled', nowMs);
  }

  /** A call of the identity was refused. Returns `false` when this happens too often. */
  refused(identity: string, nowMs: number): boolean {
    const account = this.#account(identity, nowMs);
    return account.refusals.take(nowMs) || this.#pause(account, 'refused', nowMs);
  }

  /** Why new calls of the identity are refused, as text; `undefined` when they are not. */
  callRefusal(identity: string, nowMs: number): string | undefined {
    const pause = this.#accounts.get(identity)?.pause;
    return pause === undefined || nowMs >= pause.endMs ? undefined : this.#describe(pause, nowMs);
  }

  /** Why new connections of the identity are refused, as text; `undefined` when they are not. */
  connectionRefusal(identity: string, nowMs: number): string | undefined {
    const pause = this.#accounts.get(identity)?.pause;
    if (pause?.why !== 'refused' || nowMs >= pause.endMs) return undefined;
    return this.#describe(pause, nowMs);
  }

  /**
   * Asks whether to log a line about a failed call. Returns the number of lines omitted since the last one,
   * or `undefined` when this line must be omitted too.
   */
  takeLine(identity: string, nowMs: number): number | undefined {
    const account = this.#account(identity, nowMs);
    if (!account.lines.take(nowMs)) {
      account.linesLeftOut += 1;
      return undefined;
    }
    const leftOut = account.linesLeftOut;
    account.linesLeftOut = 0;
    return leftOut;
  }

  /** Always returns `false`, so that the methods above can return the result. */
  #pause(account: Account, why: Pause['why'], nowMs: number): false {
    const { pauseMs, longestPauseMs } = this.#limits;
    const last = account.pause;
    if (last !== undefined && nowMs < last.endMs) {
      // A paused identity that continues does not get a longer pause. Refused calls also block its new
      // connections; later cancels of calls that are still open must not unblock them.
      account.pause = { ...last, why: last.why === 'refused' ? 'refused' : why };
      return false;
    }
    const isRepeated = last !== undefined && nowMs < last.endMs + longestPauseMs;
    const lengthMs = isRepeated ? Math.min(2 * last.lengthMs, longestPauseMs) : pauseMs;
    account.pause = { why, endMs: nowMs + lengthMs, lengthMs };
    return false;
  }

  #describe({ why, endMs }: Pause, nowMs: number): string {
    const { burst, perSecond } = why === 'cancelled' ? this.#limits.cancels : this.#limits.refusals;
    return `too many ${why} calls of this caller: the limit is ${burst} at once and ${perSecond} per second, try again in ${Math.ceil((endMs - nowMs) / 1000)}s`;
  }

  #account(identity: string, nowMs: number): Account {
    const known = this.#accounts.get(identity);
    if (known !== undefined) return known;
    if (this.#accounts.size >= this.#limits.rememberedIdentities) this.#forget(nowMs);
    const { cancels, refusals, lines } = this.#limits;
    const account: Account = {
      cancels: new TokenBucket(cancels),
      refusals: new TokenBucket(refusals),
      lines: new TokenBucket(lines),
      linesLeftOut: 0,
      pause: undefined,
    };
    this.#accounts.set(identity, account);
    return account;
  }

  /** Forgets identities without recent events; if there are none, all that are not paused; otherwise all. */
  #forget(nowMs: number): void {
    const memoryMs = this.#limits.longestPauseMs;
    const all = [...this.#accounts];
    const unpaused = all.filter(([, { pause }]) => pause === undefined || nowMs >= pause.endMs + memoryMs);
    const calm = unpaused.filter(([, { cancels, refusals, lines }]) =>
      [cancels, refusals, lines].every((bucket) => bucket.isFull(nowMs)),
    );
    const dropped = [calm, unpaused, all].find((list) => list.length > 0) ?? [];
    for (const [identity] of dropped) this.#accounts.delete(identity);
  }
}
