import type { AttributeName } from './attribute-names.ts';

/** Values that a span attribute may hold. */
export type AttributeValue = string | number | boolean;
export type Attributes = Readonly<Partial<Record<AttributeName, AttributeValue>>>;

export interface SpanOptions {
  /** `server` and `client` at the two ends of a call, `internal` (the default) for work inside a process. */
  kind?: 'server' | 'client' | 'internal';
  /** A W3C traceparent received from another process. Default: the active span. */
  parent?: string | undefined;
  attributes?: Attributes;
  /** W3C traceparents of spans that caused this one without being its parent. */
  links?: readonly string[];
}

/** One timed operation. Without export it records nothing and only propagates the trace of its parent. */
export interface Span {
  /** The traceparent to send to the next hop; `undefined` when there is no trace to continue. */
  readonly traceparent: string | undefined;
  /** The trace id as 32 hexadecimal digits; `undefined` when the operation belongs to no trace. */
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;
  setAttributes(attributes: Attributes): void;
  addEvent(name: string, attributes?: Attributes): void;
  /**
   * Marks the operation as failed. The message of an Error is recorded, so it must not contain a secret.
   * `type` is the value of `error.type`; default: `errorTypeOf(error)`.
   */
  fail(error: unknown, type?: string): void;
  /** Must be called exactly once. */
  end(): void;
}
