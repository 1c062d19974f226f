import { anySignal, ChangeSignal } from '@nodewright/async';

/** Messages between a reader and a slower consumer that takes all of them at once. A reader waits while the queue is full. */
export class MessageQueue<T> {
  readonly #limit: number;
  readonly #changed = new ChangeSignal();
  readonly #end = new AbortController();
  #waiting: T[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Resolves when there is room for the next message. */
  async put(message: T): Promise<void> {
    this.#waiting.push(message);
    this.#changed.notify();
    while (this.#waiting.length >= this.#limit && !this.#end.signal.aborted)
      await this.#changed.next(this.#end.signal);
  }

  /** No message follows, or nobody takes them any more. */
  end(): void {
    this.#end.abort();
  }

  /**
   * All messages that wait, at least one; none after the timeout.
   *
   * @param timeoutMs default: none
   * @returns undefined at the end
   */
  async take(timeoutMs: number | undefined, signal: AbortSignal): Promise<readonly T[] | undefined> {
    const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    const over = anySignal(signal, timeout, this.#end.signal);
    while (this.#waiting.length === 0 && !over.aborted) await this.#changed.next(over);
    if (this.#waiting.length === 0 && (signal.aborted || this.#end.signal.aborted)) return undefined;
    const taken = this.#waiting;
    this.#waiting = [];
    this.#changed.notify();
    return taken;
  }
}
