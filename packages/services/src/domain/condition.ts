/** Something that a service waits for before it starts. */
export interface Condition {
  /** The name of the condition in the message `Waiting for ...`; it may change while the service waits. */
  readonly text: string;
  isMet(): boolean;
  /**
   * Resolves when the condition is met, or when `signal` aborts. The condition is not watched after that: a
   * service that restarts calls `wait` again.
   *
   * @throws when the condition can never be met; the service fails then.
   */
  wait(signal: AbortSignal): Promise<void>;
}

/** A condition that is met when `meet` is called. */
export class Latch implements Condition {
  readonly text: string;
  readonly #waiting = new Set<() => void>();
  #isMet = false;

  constructor(text: string) {
    this.text = text;
  }

  meet(): void {
    this.#isMet = true;
    for (const wake of this.#waiting) wake();
  }

  isMet(): boolean {
    return this.#isMet;
  }

  /** A wait that ends leaves nothing at the latch, which may be met in weeks, and nothing at the signal. */
  async wait(signal: AbortSignal): Promise<void> {
    if (this.#isMet || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    this.#waiting.add(wake);
    signal.addEventListener('abort', wake);
    await promise;
    this.#waiting.delete(wake);
    signal.removeEventListener('abort', wake);
  }
}

/** Returns `Waiting for a, b` with the conditions that are not met yet; `undefined` when all are met. */
export function waitingText(conditions: readonly Condition[]): string | undefined {
  const open = conditions.filter((condition) => !condition.isMet()).map(({ text }) => text);
  return open.length === 0 ? undefined : `Waiting for ${open.join(', ')}`;
}
