import { randomBytes } from 'node:crypto';
import type { Span, SpanOptions } from './span.ts';
import { SpanScope } from './span-scope.ts';
import type { Telemetry } from './telemetry.ts';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';

/**
 * A span that records nothing. It keeps the trace and span ids of its parent, so that traced processes before
 * and after this one share a trace.
 */
class CarrierSpan implements Span {
  readonly traceparent: string | undefined;
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;

  constructor(traceparent: string | undefined) {
    const parent = parseTraceparent(traceparent);
    this.traceparent = parent === undefined ? undefined : traceparent;
    this.traceId = parent?.traceId;
    this.spanId = parent?.spanId;
  }

  setAttributes(): void {}
  addEvent(): void {}
  fail(): void {}
  end(): void {}
}

const emptySpan = new CarrierSpan(undefined);

/** Telemetry without an exporter. */
export function createNoTelemetry(): Telemetry {
  const scope = new SpanScope();
  return {
    enabled: false,
    startSpan(_name: string, options?: SpanOptions): Span {
      if (options?.parent !== undefined) return new CarrierSpan(options.parent);
      return scope.current() ?? emptySpan;
    },
    withSpan<T>(span: Span, body: () => T): T {
      // Without a parent there is no context to propagate: skip the cost of an asynchronous context per call.
      return span.traceparent === undefined ? body() : scope.run(span, body);
    },
    withSpanUntilSettled: (span, body) =>
      span.traceparent === undefined ? body() : scope.runUntilSettled(span, body),
    activeSpan: () => scope.current(),
    [Symbol.asyncDispose]: async () => {},
  };
}

/**
 * Telemetry without an exporter, whose calls are not recorded by traced programs behind them either: for programs that call at
 * intervals, which would fill a collector. Source: W3C Trace Context, level 1, the sampled flag.
 */
export function createUnsampledTelemetry(): Telemetry {
  const inner = createNoTelemetry();
  const digits = (bytes: number) => randomBytes(bytes).toString('hex');
  return {
    ...inner,
    startSpan(name, options) {
      const span = inner.startSpan(name, options);
      if (span.traceparent !== undefined) return span;
      return new CarrierSpan(formatTraceparent({ traceId: digits(16), spanId: digits(8), flags: 0 }));
    },
  };
}

/** The shared instance for tests and for code without configured telemetry. */
export const noTelemetry: Telemetry = createNoTelemetry();
