// What the page shows of traces. This file has types only, and both sides import it.

export interface TraceSpan {
  readonly id: string;
  /** Empty for the first span of a trace. */
  readonly parent: string;
  /** The program that did the work, such as `apid`. */
  readonly service: string;
  /** Empty where the source does not say. */
  readonly node: string;
  readonly name: string;
  /** Milliseconds since 1970, with fractions. */
  readonly startMs: number;
  readonly durationMs: number;
  readonly hasFailed: boolean;
  /** What failed. */
  readonly message: string;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
}

export interface TraceSummary {
  readonly id: string;
  /** The name of its first span. */
  readonly name: string;
  readonly startMs: number;
  readonly durationMs: number;
  readonly spans: number;
  readonly services: readonly string[];
  readonly nodes: readonly string[];
  readonly failed: number;
}

/** Where traces come from. */
export type TraceSource = 'supervisor' | 'jaeger' | 'none';

/** Answer of `traces`: the newest first. */
export interface TracesAnswer {
  readonly source: TraceSource;
  readonly traces: readonly TraceSummary[];
}

/** Answer of `trace`, ordered by time; empty when the source does not have it. */
export interface TraceAnswer {
  readonly spans: readonly TraceSpan[];
}
