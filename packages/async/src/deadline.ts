import { anySignal } from './any-signal.ts';
import { longestTimerMs } from './timers.ts';

/**
 * A signal that aborts after a time, with a `TimeoutError`, or when one of the given signals does. Unlike the timer of
 * `AbortSignal.timeout()`, this one keeps the process alive until it is disposed of.
 */
export class Deadline implements Disposable {
  readonly signal: AbortSignal;
  readonly #expiry = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;

  /** @param timeoutMs no timer runs when it is infinite; more than 24 days count as 24 days */
  constructor(timeoutMs: number, ...signals: readonly (AbortSignal | undefined)[]) {
    const expire = () => this.#expiry.abort(new DOMException('no answer', 'TimeoutError'));
    if (Number.isFinite(timeoutMs))
      this.#timer = setTimeout(expire, Math.min(Math.max(0, timeoutMs), longestTimerMs));
    this.signal = anySignal(this.#expiry.signal, ...signals);
  }

  /** True when the time is over, whatever the other signals did. */
  get isOver(): boolean {
    return this.#expiry.signal.aborted;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
