import type { Clock } from '../domain/clock.ts';

interface Sleeper {
  readonly untilMs: number;
  readonly wake: () => void;
}

/** A clock that stands still until a test advances it. */
export class FakeClock implements Clock {
  #nowMs = 0;
  readonly #sleepers = new Set<Sleeper>();

  nowMs(): number {
    return this.#nowMs;
  }

  /** Number of sleeps that have not ended. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  sleep(durationMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const sleeper: Sleeper = { untilMs: this.#nowMs + durationMs, wake: () => resolve() };
    this.#sleepers.add(sleeper);
    signal.addEventListener('abort', sleeper.wake);
    return promise.finally(() => {
      signal.removeEventListener('abort', sleeper.wake);
      this.#sleepers.delete(sleeper);
    });
  }

  /** Advances the time. Resolves after the callbacks of the ended sleeps have run. */
  async advance(durationMs: number): Promise<void> {
    this.#nowMs += durationMs;
    for (const sleeper of this.#sleepers) if (sleeper.untilMs <= this.#nowMs) sleeper.wake();
    await new Promise(setImmediate);
  }
}
