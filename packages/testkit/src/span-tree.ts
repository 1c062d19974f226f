import type { ReceivedSpan } from '@nodewright/telemetry/otlp-decode';

/** A trace as a tree of calls, for people to read. */
export interface SpanNode {
  readonly span: string;
  readonly children: readonly SpanNode[];
}

/**
 * The spans of one trace as a tree. The text of a node is `service: name (kind)`; siblings are sorted by that
 * text, so trees compare equal in any order of arrival. A span whose parent is missing is a root.
 */
export function spanTree(spans: readonly ReceivedSpan[], traceId: string): SpanNode[] {
  const ofTrace = spans.filter((span) => span.traceId === traceId);
  const ids = new Set(ofTrace.map(({ spanId }) => spanId));
  const below = (parent: string | undefined): SpanNode[] =>
    ofTrace
      .filter(({ parentSpanId }) => (parent === undefined ? !ids.has(parentSpanId) : parentSpanId === parent))
      .map(({ service, name, kind, spanId }) => ({
        span: `${service}: ${name} (${kind})`,
        children: below(spanId),
      }))
      .sort((left, right) => left.span.localeCompare(right.span));
  return below(undefined);
}
