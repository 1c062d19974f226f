/** Notifies all waiting callers of a change. */
export class ChangeSignal {
  readonly #waiting = new Set<() => void>();

  notify(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves at the next notify(), or when `signal` aborts. It removes its listeners in both cases. */
  next(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => {
      this.#waiting.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    this.#waiting.add(wake);
    signal.addEventListener('abort', wake);
    if (signal.aborted) wake();
    return promise;
  }
}
