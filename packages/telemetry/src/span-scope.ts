import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from './span.ts';

/** Tracks the active span across awaits. */
export class SpanScope {
  readonly #storage = new AsyncLocalStorage<Span>();

  run<T>(span: Span, body: () => T): T {
    return this.#storage.run(span, body);
  }

  current(): Span | undefined {
    return this.#storage.getStore();
  }
}
