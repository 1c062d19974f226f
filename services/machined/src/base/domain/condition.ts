/** Something that a service waits for before it starts. */
export interface Condition {
  /** How `Waiting for ...` names it now. */
  readonly text: string;
  isMet(): boolean;
  /**
   * Resolves once it is met, or when `signal` aborts. Whether it holds on after that is not looked at: a service that
   * starts again asks again.
   *
   * @throws when it can never be met any more; the service fails then.
   */
  wait(signal: AbortSignal): Promise<void>;
}

/** A condition that is met by a call. */
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

/** `Waiting for a, b`: the conditions that are not met yet; undefined when all are. */
export function waitingText(conditions: readonly Condition[]): string | undefined {
  const open = conditions.filter((condition) => !condition.isMet()).map(({ text }) => text);
  return open.length === 0 ? undefined : `Waiting for ${open.join(', ')}`;
}
