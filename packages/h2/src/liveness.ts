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

/** Checks one connection while it has open calls. */
export class Liveness {
  readonly #init: LivenessInit;
  #timer: NodeJS.Timeout | undefined;
  #answer: NodeJS.Timeout | undefined;
  #received = 0;
  #pingedAt = Number.NEGATIVE_INFINITY;

  constructor(init: LivenessInit) {
    this.#init = init;
  }

  /** Call this when the connection has open calls. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.#received = this.#init.received();
    this.#timer = setInterval(() => this.#check(), this.#init.silenceMs);
    this.#timer.unref();
  }

  /** Call this when the connection has no more open calls. */
  stop(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#answer);
    this.#timer = undefined;
    this.#answer = undefined;
  }

  #check(): void {
    const { answerMs, restMs } = this.#init;
    const before = this.#received;
    this.#received = this.#init.received();
    const now = monotonicMs();
    if (this.#received !== before || this.#answer !== undefined || now - this.#pingedAt < restMs) return;
    this.#pingedAt = now;
    this.#answer = setTimeout(() => {
      this.stop();
      this.#init.onDead();
    }, answerMs);
    this.#init.ping(() => {
      clearTimeout(this.#answer);
      this.#answer = undefined;
    });
  }
}
