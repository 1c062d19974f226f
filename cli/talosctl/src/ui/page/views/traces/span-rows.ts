import type { TraceSpan } from '../../../protocol/traces.ts';

/** A span in the order of the tree. */
export interface SpanRow {
  readonly span: TraceSpan;
  readonly depth: number;
}

/** The spans of a trace as a tree: each span is followed by its children, in the order of time. */
export function spanRows(spans: readonly TraceSpan[]): readonly SpanRow[] {
  const byId = new Map(spans.map((span) => [span.id, span]));
  const children = new Map<string, TraceSpan[]>();
  for (const span of byId.values()) {
    // The parent may have been sent elsewhere, as the spans of a command are.
    const parent = byId.has(span.parent) && span.parent !== span.id ? span.parent : '';
    children.set(parent, [...(children.get(parent) ?? []), span]);
  }
  const rows: SpanRow[] = [];
  const left = new Set(byId.values());
  const add = (span: TraceSpan, depth: number) => {
    const waiting: SpanRow[] = [{ span, depth }];
    for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
      if (!left.delete(row.span)) continue;
      rows.push(row);
      const below = (children.get(row.span.id) ?? []).toSorted((a, b) => b.startMs - a.startMs);
      for (const child of below) waiting.push({ span: child, depth: row.depth + 1 });
    }
  };
  const byTime = (a: TraceSpan, b: TraceSpan) => a.startMs - b.startMs;
  for (const root of (children.get('') ?? []).toSorted(byTime)) add(root, 0);
  // Spans that are each other's parents have no root.
  for (const span of [...left].sort(byTime)) add(span, 0);
  return rows;
}
