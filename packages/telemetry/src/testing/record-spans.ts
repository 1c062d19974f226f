import type { Attributes } from '../span.ts';
import type { Telemetry } from '../telemetry.ts';

export interface RecordedSpan {
  readonly name: string;
  readonly kind: string;
  readonly attributes: Attributes;
  readonly hasFailed: boolean;
  readonly hasEnded: boolean;
}

/** Telemetry that keeps its spans in memory. No span is ever active. */
export function recordSpans(): Telemetry & { readonly spans: readonly RecordedSpan[] } {
  const spans: { -readonly [Key in keyof RecordedSpan]: RecordedSpan[Key] }[] = [];
  return {
    enabled: true,
    spans,
    startSpan(name, { kind = 'internal', attributes = {} } = {}) {
      const span = { name, kind, attributes, hasFailed: false, hasEnded: false };
      spans.push(span);
      return {
        ...{ traceparent: undefined, traceId: undefined, spanId: undefined, addEvent() {} },
        setAttributes(more) {
          span.attributes = { ...span.attributes, ...more };
        },
        fail() {
          span.hasFailed = true;
        },
        end() {
          span.hasEnded = true;
        },
      };
    },
    withSpan: (_, body) => body(),
    withSpanUntilSettled: (_, body) => body(),
    activeSpan: () => undefined,
    [Symbol.asyncDispose]: async () => {},
  };
}
