import type { Span, SpanOptions } from './span.ts';

/** The tracing interface that the rest of the project uses. */
export interface Telemetry extends AsyncDisposable {
  /** Whether spans are exported. When false every span costs one small object and one branch. */
  readonly enabled: boolean;
  /** Starts a span. Use names of low cardinality: a method, never an id. */
  startSpan(name: string, options?: SpanOptions): Span;
  /**
   * Runs `body` with `span` active. Spans and log lines that it creates, also after an await, belong to the
   * span.
   */
  withSpan<T>(span: Span, body: () => T): T;
  /**
   * The same until the promise of `body` settles. What `body` has started and left running then belongs to no span, such as the
   * listeners and timers of a daemon after its start.
   */
  withSpanUntilSettled<T>(span: Span, body: () => Promise<T>): Promise<T>;
  activeSpan(): Span | undefined;
}
