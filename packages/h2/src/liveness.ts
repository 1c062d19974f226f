/** When a connection with calls in flight is asked whether its peer still lives. */
export interface LivenessLimits {
  /** How long nothing may have come before the peer is asked, in milliseconds. */
  readonly silenceMs: number;
  /** How long it may take to answer, in milliseconds. */
  readonly answerMs: number;
  /** Between two questions at least, in milliseconds: servers close connections that ask more often than they like. */
  readonly restMs: number;
}

/**
 * A node that has lost its power, or whose daemon hangs, closes no connection: without a question its calls would wait
 * for as long as the kernel keeps trying, a quarter of an hour. Source: gRPC, keepalive: servers allow one
 * ping in five minutes.
 */
export const nodeLiveness: LivenessLimits = { silenceMs: 20_000, answerMs: 10_000, restMs: 5 * 60_000 };

export interface LivenessInit extends LivenessLimits {
  /** Bytes that have come so far. */
  received(): number;
  /** Sends a ping; `answered` is called when its answer comes. */
  ping(answered: () => void): void;
  onDead(): void;
}

/** Watches one connection while calls are in flight on it. */
export class Liveness {
  readonly #init: LivenessInit;
  #timer: NodeJS.Timeout | undefined;
  #answer: NodeJS.Timeout | undefined;
  #received = 0;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(init: LivenessInit) {
    this.#init = init;
  }

  /** There are calls in flight from now on. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.#received = this.#init.received();
    this.#timer = setInterval(() => this.#look(), this.#init.silenceMs);
    this.#timer.unref();
  }

  /** There are none any more. */
  stop(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#answer);
    this.#timer = undefined;
    this.#answer = undefined;
  }

  #look(): void {
    const { answerMs, restMs } = this.#init;
    const before = this.#received;
    this.#received = this.#init.received();
    const now = performance.now();
    if (this.#received !== before || this.#answer !== undefined || now - this.#askedAt < restMs) return;
    this.#askedAt = now;
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
