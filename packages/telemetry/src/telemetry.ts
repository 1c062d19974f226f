import type { Span, SpanOptions } from './span.ts';

/** Tracing as the rest of the house sees it. */
export interface Telemetry extends AsyncDisposable {
  /** Whether spans are exported. When false every span costs one small object and one branch. */
  readonly enabled: boolean;
  /** Starts a span. Names are of low cardinality: a method, never an id. */
  startSpan(name: string, options?: SpanOptions): Span;
  /** Runs `body` with `span` active: spans and log lines in it, and in what it awaits, belong to it. */
  withSpan<T>(span: Span, body: () => T): T;
  activeSpan(): Span | undefined;
}
