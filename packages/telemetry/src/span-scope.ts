import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from './span.ts';

/** Tracks the active span across awaits. A process without traces never loads what this needs. */
export class SpanScope {
  #storage: AsyncLocalStorage<Span> | undefined;

  run<T>(span: Span, body: () => T): T {
    this.#storage ??= new (process.getBuiltinModule('node:async_hooks').AsyncLocalStorage)<Span>();
    return this.#storage.run(span, body);
  }

  current(): Span | undefined {
    return this.#storage?.getStore();
  }
}
