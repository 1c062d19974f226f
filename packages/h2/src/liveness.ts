import { monotonicMs } from './monotonic.ts';

/** When a connection with open calls sends a PING to check that its peer responds. */
export interface LivenessLimits {
  /** How long the peer must have sent nothing before a PING is sent, in milliseconds. */
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
export const nodeLiveness: LivenessLimits = { silenceMs: 20_000, answerMs: 10_000, restMs: 5 * 60_000 };

export interface LivenessInit extends LivenessLimits {
  /** Number of bytes received so far. */
  received(): number;
  /** Sends a PING and calls `answered` when it is acknowledged. */
  ping(answered: () => void): void;
  onDead(): void;
}

/**
 * Checks one connection while it has open calls. A connection whose calls follow one another begins and ends such a time with each of
 * them, so its timer runs on without calls, until it is due.
 */
export class Liveness {
  readonly #init: LivenessInit;
  #hasCalls = false;
  /** When the peer's silence is measured from, and what had been received then. */
  #sinceMs = 0;
  #received = 0;
  #timer: NodeJS.Timeout | undefined;
  #answer: NodeJS.Timeout | undefined;
  #pingedAt = Number.NEGATIVE_INFINITY;

  constructor(init: LivenessInit) {
    this.#init = init;
  }

  /** Call this when the connection has open calls. */
  start(): void {
    if (this.#hasCalls) return;
    this.#hasCalls = true;
    this.#received = this.#init.received();
    this.#sinceMs = monotonicMs();
    if (this.#timer === undefined) this.#wait(this.#init.silenceMs);
  }

  /** Call this when the connection has no more open calls. */
  stop(): void {
    this.#hasCalls = false;
    if (this.#answer === undefined) return;
    clearTimeout(this.#answer);
    this.#answer = undefined;
  }

  /** Call this when the connection is closed. */
  close(): void {
    this.stop();
    clearTimeout(this.#timer);
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => this.#due(), ms);
    this.#timer.unref();
  }

  #due(): void {
    this.#timer = undefined;
    if (!this.#hasCalls) return;
    const { silenceMs, answerMs, restMs } = this.#init;
    const now = monotonicMs();
    const leftMs = this.#sinceMs + silenceMs - now;
    this.#wait(leftMs > 0 ? leftMs : silenceMs);
    if (leftMs > 0) return;
    const before = this.#received;
    this.#received = this.#init.received();
    this.#sinceMs = now;
    if (this.#received !== before || this.#answer !== undefined || now - this.#pingedAt < restMs) return;
    this.#pingedAt = now;
    this.#answer = setTimeout(() => {
      this.close();
      this.#init.onDead();
    }, answerMs);
    this.#init.ping(() => {
      clearTimeout(this.#answer);
      this.#answer = undefined;
    });
  }
}
