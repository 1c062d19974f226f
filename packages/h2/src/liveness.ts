import { systemTimers, type Timers } from '@nodewright/async';
import { h2Limits } from './h2-limits.ts';
import { monotonicMs } from './monotonic.ts';

/** When a connection with open calls sends a PING to check that its peer responds. */
export interface LivenessLimits {
  /** How long calls must have been open without a byte of the peer before a PING is sent, in milliseconds. */
  readonly silenceMs: number;
  /** How long the peer may take to acknowledge the PING, in milliseconds. */
  readonly answerMs: number;
  /**
   * Minimum time between two PINGs, in milliseconds. Servers close connections that send PINGs more often
   * than they allow.
   */
  readonly restMs: number;
}

/**
 * A node that lost power, or whose daemon hangs, closes no connection. Without a PING its calls would wait as
 * long as the kernel retransmits, a quarter of an hour. Source: gRPC, keepalive: servers allow one ping in
 * five minutes.
 */
export const nodeLiveness: LivenessLimits = h2Limits.liveness;

/** A timer that is later than this was not late because of other work, in milliseconds. */
const lateMs = 1000;

export interface LivenessInit extends LivenessLimits {
  /** Number of bytes received so far. */
  received(): number;
  /** Sends a PING and calls `answered` when it is acknowledged. */
  ping(answered: () => void): void;
  onDead(): void;
  /** Default: those of the host. */
  readonly timers?: Pick<Timers, 'after'>;
  /** A clock that never goes back, in milliseconds. Default: that of the host. */
  readonly nowMs?: () => number;
}

/**
 * Checks one connection while it has open calls. Where one call follows another, there is none for a moment between them. So the timer is
 * not removed when the last call ends: it runs until it is due, and then looks whether there are calls. The times of calls without a byte
 * add up, because each call may be shorter than the silence, such as a health check with a deadline.
 */
export class Liveness {
  readonly #init: LivenessInit;
  readonly #timers: Pick<Timers, 'after'>;
  readonly #nowMs: () => number;
  #hasCalls = false;
  /** When the peer's silence is measured from while calls are open, and what had been received then. */
  #sinceMs = 0;
  #received = 0;
  /** How long the peer has been silent during earlier calls. */
  #silentMs = 0;
  #timer: Disposable | undefined;
  #answer: Disposable | undefined;
  #pingedAt = Number.NEGATIVE_INFINITY;

  constructor(init: LivenessInit) {
    this.#init = init;
    this.#timers = init.timers ?? systemTimers;
    this.#nowMs = init.nowMs ?? monotonicMs;
  }

  /** Call this when the connection has open calls. */
  start(): void {
    if (this.#hasCalls) return;
    this.#hasCalls = true;
    const received = this.#init.received();
    if (received !== this.#received) this.#silentMs = 0;
    this.#received = received;
    this.#sinceMs = this.#nowMs() - this.#silentMs;
    if (this.#timer === undefined) this.#wait(this.#init.silenceMs - this.#silentMs);
  }

  /** Call this when the connection has no more open calls. A PING still waits for its answer: the next calls need a live peer, too. */
  stop(): void {
    if (!this.#hasCalls) return;
    this.#hasCalls = false;
    // Most calls bring bytes, and need no look at the clock.
    this.#silentMs = this.#init.received() === this.#received ? this.#nowMs() - this.#sinceMs : 0;
  }

  /** Call this when the connection is closed. */
  close(): void {
    this.#hasCalls = false;
    this.#endAnswer();
    this.#timer?.[Symbol.dispose]();
  }

  #endAnswer(): void {
    this.#answer?.[Symbol.dispose]();
    this.#answer = undefined;
  }

  #wait(ms: number): void {
    this.#timer = this.#timers.after(ms, () => this.#due());
  }

  #due(): void {
    this.#timer = undefined;
    if (!this.#hasCalls) return;
    const { silenceMs, answerMs, restMs } = this.#init;
    const now = this.#nowMs();
    const leftMs = this.#sinceMs + silenceMs - now;
    this.#wait(leftMs > 0 ? leftMs : silenceMs);
    if (leftMs > 0) return;
    const before = this.#received;
    this.#received = this.#init.received();
    this.#sinceMs = now;
    if (this.#received !== before || this.#answer !== undefined || now - this.#pingedAt < restMs) return;
    this.#pingedAt = now;
    this.#awaitAnswer(answerMs);
    this.#init.ping(() => this.#endAnswer());
  }

  #awaitAnswer(answerMs: number): void {
    const dueMs = this.#nowMs() + answerMs;
    this.#answer = this.#timers.after(answerMs, () => {
      // This process was stopped, and its timers are due before it reads what has arrived since.
      if (this.#nowMs() - dueMs > lateMs) {
        this.#awaitAnswer(answerMs);
        return;
      }
      this.close();
      this.#init.onDead();
    });
  }
}
