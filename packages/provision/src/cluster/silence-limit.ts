import type { Timers } from '@nodewright/async';

export interface SilenceLimitInit {
  readonly timers: Timers;
  /** How long `look` may answer the same, in ms. */
  readonly silenceMs: number;
  /** How long it may take in all, in ms. */
  readonly longestMs: number;
  /** What has been reached, as a text that changes with every step forward. */
  readonly look: () => string;
  /** Called once, when a limit is reached. */
  readonly end: (reached: 'silence' | 'longest') => void;
}

export const lookMs = 1_000;

/**
 * Ends a wait for something that no longer moves. It counts its own looks and not the time of a clock: a host that is too busy to run this
 * process does not run either what it waits for.
 */
export class SilenceLimit implements Disposable {
  readonly #init: SilenceLimitInit;
  #timer: Disposable | undefined;
  #seen: string;
  #quietMs = 0;
  #totalMs = 0;

  constructor(init: SilenceLimitInit) {
    this.#init = init;
    this.#seen = init.look();
    this.#wait();
  }

  /** The counted time since the begin, in ms. */
  get totalMs(): number {
    return this.#totalMs;
  }

  #wait(): void {
    this.#timer = this.#init.timers.after(lookMs, () => this.#look());
  }

  #look(): void {
    const { look, end, silenceMs, longestMs } = this.#init;
    const seen = look();
    this.#totalMs += lookMs;
    this.#quietMs = seen === this.#seen ? this.#quietMs + lookMs : 0;
    this.#seen = seen;
    if (this.#quietMs >= silenceMs) end('silence');
    else if (this.#totalMs >= longestMs) end('longest');
    else this.#wait();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }
}
