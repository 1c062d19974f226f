import type { Logger } from '@nodewright/telemetry';
import type { Controller } from './controller.ts';

export interface OpenedSourceInit {
  readonly controller: Controller;
  readonly log: Logger;
  readonly wake: () => void;
  readonly monotonicMs: () => number;
  /** Aborts when the runtime ends. */
  readonly signal: AbortSignal;
}

/** A source that a controller has opened outside of the store, until it is closed. */
export class OpenedSource implements AsyncDisposable {
  /** The error that broke it. */
  failure: { readonly error: unknown } | undefined;
  readonly #init: OpenedSourceInit;
  readonly #scope = new AsyncDisposableStack();
  readonly #closed = new AbortController();
  readonly #close = () => this.#closed.abort();
  readonly #openedMs: number;

  private constructor(init: OpenedSourceInit) {
    this.#init = init;
    this.#openedMs = init.monotonicMs();
    if (init.signal.aborted) this.#close();
    else init.signal.addEventListener('abort', this.#close);
  }

  /** @throws the error of the controller; nothing stays open then */
  static async open(init: OpenedSourceInit): Promise<OpenedSource> {
    await using scope = new AsyncDisposableStack();
    const opened = scope.use(new OpenedSource(init));
    await opened.#open();
    scope.move();
    return opened;
  }

  /** How long it has been open, in ms. */
  get ageMs(): number {
    return this.#init.monotonicMs() - this.#openedMs;
  }

  async #open(): Promise<void> {
    const { controller, log, wake } = this.#init;
    const { signal } = this.#closed;
    const source = {
      signal,
      log,
      wake: () => {
        if (!signal.aborted) wake();
      },
      fail: (error: unknown) => {
        if (signal.aborted) return;
        this.failure ??= { error };
        wake();
      },
    };
    await controller.open?.(source, this.#scope);
  }

  /** Stops the source and waits for its end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#init.signal.removeEventListener('abort', this.#close);
    this.#close();
    await this.#scope.disposeAsync();
  }
}
