/** Values that a span attribute may hold. */
export type AttributeValue = string | number | boolean;
export type Attributes = Readonly<Record<string, AttributeValue>>;

export interface SpanOptions {
  /** `server` and `client` at the two ends of a call, `internal` (the default) for work inside a process. */
  kind?: 'server' | 'client' | 'internal';
  /** A W3C traceparent that came from outside. Default: the active span. */
  parent?: string | undefined;
  attributes?: Attributes;
  /** W3C traceparents of spans that caused this one without being its parent. */
  links?: readonly string[];
}

/** One timed operation. When export is off it records nothing and only carries its parent's identity on. */
export interface Span {
  /** What to send to the next hop, or undefined when there is nothing to continue. */
  readonly traceparent: string | undefined;
  /** 32 hexadecimal digits, when this operation belongs to a trace. */
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;
  setAttributes(attributes: Attributes): void;
  addEvent(name: string, attributes?: Attributes): void;
  /** Marks the operation as failed. The message of an Error is recorded: it must hold no secret. */
  fail(error: unknown): void;
  /** Must be called exactly once. */
  end(): void;
}
