// Looks after backends that refused connections, so that calls reach them as soon as they are back.
import { type RateLimits, TokenBucket } from './token-bucket.ts';

export interface ProbeLimits {
  /** Pause before the first dial of a group, in milliseconds; each further one is half as long again. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** The dials of all groups together. */
  readonly dials: RateLimits;
}

/** A back-off that ends when the backend accepts a connection. */
export interface Probed<C> {
  /** Whether the back-off is over for another reason. */
  isOver(): boolean;
  /** Rejects when the backend is not back. */
  dial(): Promise<C>;
  /** Takes over the connection of its dial. */
  opened(connection: C): void;
  /** Another target of the group has a connection. */
  isBack(): void;
}

export interface BackendProbesInit {
  readonly limits: ProbeLimits;
  /** The current time in milliseconds, monotonic. */
  readonly now: () => number;
  /** A random number in [0, 1). */
  readonly random: () => number;
}

/**
 * Dials backends again and again during their back-off. The targets of a group are names of one backend: one of them is dialled at a
 * time, in turns, because the certificate of the backend may not have all of its names.
 */
export class BackendProbes<C> {
  readonly #init: BackendProbesInit;
  readonly #bucket: TokenBucket;
  readonly #groups = new Map<string, Set<Probed<C>>>();

  constructor(init: BackendProbesInit) {
    this.#init = init;
    this.#bucket = new TokenBucket(init.limits.dials);
  }

  add(group: string, probed: Probed<C>): void {
    const known = this.#groups.get(group);
    if (known !== undefined) {
      known.add(probed);
      return;
    }
    const all = new Set([probed]);
    this.#groups.set(group, all);
    this.#later(group, all, this.#init.limits.firstPauseMs);
  }

  #later(group: string, all: Set<Probed<C>>, pauseMs: number): void {
    // Backends that were lost together are not dialled together: none would always find the limit reached.
    const delayMs = pauseMs * (0.75 + this.#init.random() / 2);
    setTimeout(() => void this.#dial(group, all, pauseMs), delayMs).unref();
  }

  async #dial(group: string, all: Set<Probed<C>>, pauseMs: number): Promise<void> {
    for (const each of all) if (each.isOver()) all.delete(each);
    const [probed] = all;
    if (probed === undefined) {
      this.#groups.delete(group);
      return;
    }
    if (!this.#bucket.take(this.#init.now())) {
      this.#later(group, all, pauseMs);
      return;
    }
    all.delete(probed);
    let connection: C;
    try {
      connection = await probed.dial();
    } catch {
      all.add(probed);
      this.#later(group, all, Math.min(pauseMs * 1.5, this.#init.limits.longestPauseMs));
      return;
    }
    this.#groups.delete(group);
    probed.opened(connection);
    for (const each of all) if (!each.isOver()) each.isBack();
  }
}
