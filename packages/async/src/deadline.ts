import { anySignal } from './any-signal.ts';
import { longestTimerMs, type Timers } from './timers.ts';

/**
 * A signal that aborts after a time, with a `TimeoutError`, or when one of the given signals does. Unlike the timer of
 * `AbortSignal.timeout()`, that of the constructor keeps the process alive until it is disposed of.
 */
export class Deadline implements Disposable {
  readonly signal: AbortSignal;
  readonly #expiry = new AbortController();
  #timer: Disposable | undefined;

  /** @param timeoutMs no timer runs when it is infinite; more than 24 days count as 24 days */
  constructor(timeoutMs: number, ...signals: readonly (AbortSignal | undefined)[]) {
    if (Number.isFinite(timeoutMs)) this.#timer = livelyTimer(timeoutMs, () => this.#expire());
    this.signal = anySignal(this.#expiry.signal, ...signals);
  }

  /** As the constructor, with the given timers. Those of the host do not keep the process alive. */
  static by(
    timers: Pick<Timers, 'after'>,
    timeoutMs: number,
    ...signals: readonly (AbortSignal | undefined)[]
  ): Deadline {
    const deadline = new Deadline(Number.POSITIVE_INFINITY, ...signals);
    if (Number.isFinite(timeoutMs)) deadline.#timer = timers.after(timeoutMs, () => deadline.#expire());
    return deadline;
  }

  /** True when the time is over, whatever the other signals did. */
  get isOver(): boolean {
    return this.#expiry.signal.aborted;
  }

  #expire(): void {
    this.#expiry.abort(new DOMException('no answer', 'TimeoutError'));
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }
}

/** A timer of the host that keeps the process alive. */
function livelyTimer(delayMs: number, action: () => void): Disposable {
  const timer = setTimeout(action, Math.min(Math.max(0, delayMs), longestTimerMs));
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
