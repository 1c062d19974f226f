import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from './span.ts';

/** How long a span, and all that become active within it, stay active. */
interface Lifetime {
  isOver: boolean;
}

interface ActiveSpan {
  readonly span: Span;
  /** `undefined` when only the end of the work ends it. */
  readonly lifetime: Lifetime | undefined;
}

/** Tracks the active span across awaits. A process without traces never loads what this needs. */
export class SpanScope {
  #storage: AsyncLocalStorage<ActiveSpan> | undefined;

  run<T>(span: Span, body: () => T): T {
    return this.#open().run({ span, lifetime: this.#active()?.lifetime }, body);
  }

  /** The same until the promise of `body` settles: timers and listeners that it leaves behind then belong to no span. */
  async runUntilSettled<T>(span: Span, body: () => Promise<T>): Promise<T> {
    const lifetime = { isOver: false };
    try {
      return await this.#open().run({ span, lifetime }, body);
    } finally {
      lifetime.isOver = true;
    }
  }

  current(): Span | undefined {
    return this.#active()?.span;
  }

  #active(): ActiveSpan | undefined {
    const active = this.#storage?.getStore();
    return active?.lifetime?.isOver === true ? undefined : active;
  }

  #open(): AsyncLocalStorage<ActiveSpan> {
    this.#storage ??= new (process.getBuiltinModule('node:async_hooks').AsyncLocalStorage)<ActiveSpan>();
    return this.#storage;
  }
}
