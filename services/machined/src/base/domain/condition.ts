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
  readonly #done = Promise.withResolvers<void>();
  #isMet = false;

  constructor(text: string) {
    this.text = text;
  }

  meet(): void {
    this.#isMet = true;
    this.#done.resolve();
  }

  isMet(): boolean {
    return this.#isMet;
  }

  async wait(signal: AbortSignal): Promise<void> {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const abort = () => resolve();
    signal.addEventListener('abort', abort);
    if (signal.aborted) resolve();
    await Promise.race([this.#done.promise, aborted]);
    signal.removeEventListener('abort', abort);
  }
}

/** Returns `Waiting for a, b` with the conditions that are not met yet; `undefined` when all are met. */
export function waitingText(conditions: readonly Condition[]): string | undefined {
  const open = conditions.filter((condition) => !condition.isMet()).map(({ text }) => text);
  return open.length === 0 ? undefined : `Waiting for ${open.join(', ')}`;
}
