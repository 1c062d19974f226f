import type { Timers } from '@nodewright/async';

export interface UsedLeaseInit {
  readonly timers: Pick<Timers, 'monotonicMs' | 'after'>;
  /** Settings that had to wait act now. */
  readonly onChange: () => void;
}

/** Settings that a renewal changes act at most once in this time: each change costs a pass over the whole network of the machine. */
const changesEachMs = 60_000;

/** What a link has of its lease, which may be older than what the server sent last. */
export class UsedLease<T> implements Disposable {
  readonly #init: UsedLeaseInit;
  #used: { readonly lease: T; readonly sinceMs: number } | undefined;
  #waiting: Disposable | undefined;

  constructor(init: UsedLeaseInit) {
    this.#init = init;
  }

  /** Undefined without a lease. It is the same object until something changes. */
  get current(): T | undefined {
    return this.#used?.lease;
  }

  /** A new address acts at once. Of the changes of one that the link has, the last one acts when the previous one is old enough. */
  take(lease: T, isNew: boolean): void {
    this.#stopWaiting();
    const { timers, onChange } = this.#init;
    const nowMs = timers.monotonicMs();
    const used = isNew ? undefined : this.#used;
    if (used !== undefined && JSON.stringify(used.lease) === JSON.stringify(lease)) return;
    const waitMs = used === undefined ? 0 : used.sinceMs + changesEachMs - nowMs;
    if (waitMs <= 0) this.#used = { lease, sinceMs: nowMs };
    else
      this.#waiting = timers.after(waitMs, () => {
        this.take(lease, false);
        onChange();
      });
  }

  /** The link has lost its address. */
  drop(): void {
    this.#stopWaiting();
    this.#used = undefined;
  }

  [Symbol.dispose](): void {
    this.#stopWaiting();
  }

  #stopWaiting(): void {
    this.#waiting?.[Symbol.dispose]();
    this.#waiting = undefined;
  }
}
