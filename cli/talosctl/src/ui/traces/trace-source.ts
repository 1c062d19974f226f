import type { TraceSource, TraceSpan, TraceSummary } from '../protocol/traces.ts';

/** A place that keeps spans. */
export interface SpanSource {
  readonly kind: Exclude<TraceSource, 'none'>;
  /** The newest traces, with all of their spans. */
  traces(signal: AbortSignal): Promise<ReadonlyMap<string, readonly TraceSpan[]>>;
  trace(id: string, signal: AbortSignal): Promise<readonly TraceSpan[]>;
}

export const isTraceId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

/** The span of one pass of a controller. */
const reconcile = 'reconcile';

/** Whether the trace is more than the work of controllers on what has changed. */
export const isRequest = (spans: readonly TraceSpan[]): boolean =>
  spans.some(({ name }) => name !== reconcile);

/** Of programs, and of nodes, in the summary of a trace. */
const mostNames = 50;

/** A summary of each trace, the newest first. */
export function summarise(
  traces: readonly (readonly [id: string, spans: readonly TraceSpan[]])[],
  most: number,
): readonly TraceSummary[] {
  return traces
    .map(([id, spans]) => summary(id, spans))
    .sort((a, b) => b.startMs - a.startMs)
    .slice(0, most);
}

function summary(id: string, spans: readonly TraceSpan[]): TraceSummary {
  const ids = new Set(spans.map((span) => span.id));
  const byTime = spans.toSorted((a, b) => a.startMs - b.startMs);
  // The first span may have been sent elsewhere, as those of commands are.
  const first = byTime.find(({ parent }) => !ids.has(parent)) ?? byTime[0];
  const startMs = byTime[0]?.startMs ?? 0;
  const endMs = spans.reduce((end, span) => Math.max(end, span.startMs + span.durationMs), startMs);
  const sorted = (texts: readonly string[]) =>
    [...new Set(texts)]
      .filter((text) => text !== '')
      .sort()
      .slice(0, mostNames);
  return {
    ...{
      id,
      name: first === undefined ? '' : nameOf(first),
      startMs,
      durationMs: endMs - startMs,
      spans: spans.length,
    },
    services: sorted(spans.map(({ service }) => service)),
    nodes: sorted(spans.map(({ node }) => node)),
    failed: spans.filter(({ hasFailed }) => hasFailed).length,
  };
}

/** The name with what it is about, where all spans of a kind have the same name. */
function nameOf({ name, attributes }: TraceSpan): string {
  const controller = attributes['nodewright.controller.name'];
  return typeof controller === 'string' ? `${name} ${controller}` : name;
}
