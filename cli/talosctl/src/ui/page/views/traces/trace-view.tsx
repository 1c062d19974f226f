import { useMemo, useState } from 'preact/hooks';
import type { TraceAnswer, TraceSpan } from '../../../protocol/traces.ts';
import { dateText, millisText } from '../../parts/figures.ts';
import { Facts, Panel, Waiting } from '../../parts/panel.tsx';
import { ScrollRegion } from '../../parts/scroll-region.tsx';
import { linkTo } from '../../shell/route.ts';
import { useSubscriptions } from '../../store/use-store.ts';
import { type SpanRow, spanRows } from './span-rows.ts';
import { useAnswer } from './use-answer.ts';

/** Programs send their spans some seconds after these have ended. */
const intervalMs = 3000;
/** Of the whole length: a shorter span is shown as long. */
const shortestShare = 0.004;
const deepest = 12;

/** One trace: its spans as a tree, each where it was in time. */
export function TraceView({ id }: { readonly id: string }) {
  const store = useSubscriptions([]);
  const { answer, failure } = useAnswer<TraceAnswer>(store, 'trace', { id }, intervalMs);
  const spans = answer?.spans ?? [];
  const rows = useMemo(() => spanRows(answer?.spans ?? []), [answer]);
  const [chosen, setChosen] = useState<string>();
  const startMs = Math.min(...spans.map((span) => span.startMs));
  const endMs = Math.max(...spans.map((span) => span.startMs + span.durationMs));
  const span = spans.find((each) => each.id === chosen);
  return (
    <>
      <header class="view-head">
        <h1>Trace {id.slice(0, 8)}</h1>
        {spans.length > 0 && (
          <p class="soft">
            {dateText(startMs)} · {millisText(endMs - startMs)} · {spans.length} spans
          </p>
        )}
        <a href={linkTo('traces')}>all traces</a>
        <a href={linkTo('logs', [], { text: id, level: 'debug' })}>its lines in the logs</a>
      </header>
      {failure !== undefined && (
        <p class="problem" role="alert">
          {failure}
        </p>
      )}
      {answer === undefined
        ? failure === undefined && <Waiting problem={undefined} what="the trace" />
        : spans.length === 0 && (
            <p class="nothing">
              This trace is not kept: it is too old, has not arrived yet, or was sent elsewhere.
            </p>
          )}
      {rows.length > 0 && (
        <Panel title="Spans">
          <ScrollRegion label="Spans of the trace" class="spans scroll">
            <ul>
              {rows.map((row) => (
                <Row
                  key={row.span.id}
                  {...{ row, startMs, endMs, isChosen: row.span.id === chosen }}
                  onChoose={() => setChosen(row.span.id === chosen ? undefined : row.span.id)}
                />
              ))}
            </ul>
          </ScrollRegion>
        </Panel>
      )}
      {span !== undefined && <SpanDetail span={span} startMs={startMs} />}
    </>
  );
}

interface RowProps {
  readonly row: SpanRow;
  /** Of the whole trace. */
  readonly startMs: number;
  readonly endMs: number;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function Row({ row: { span, depth }, startMs, endMs, isChosen, onChoose }: RowProps) {
  const wholeMs = Math.max(0.001, endMs - startMs);
  const share = Math.max(shortestShare, span.durationMs / wholeMs);
  const from = Math.min(1 - share, (span.startMs - startMs) / wholeMs);
  return (
    <li class={`${span.hasFailed ? 'failed' : ''} indent-${Math.min(depth, deepest)}`}>
      <button type="button" aria-expanded={isChosen} onClick={onChoose} title={span.name}>
        <span class="span-name">
          <strong>{span.service}</strong> {span.name}{' '}
          <span class="soft">{span.attributes['controller.name']}</span>
          {span.hasFailed && <span class="bad-text"> failed</span>}
        </span>
        <span class="span-node soft">{span.node}</span>
        <span class="span-length">{millisText(span.durationMs)}</span>
        <svg class="event-bar" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
          <rect x={from * 1000} width={share * 1000} y="2" height="6" rx="1" />
        </svg>
      </button>
    </li>
  );
}

function SpanDetail({ span, startMs }: { readonly span: TraceSpan; readonly startMs: number }) {
  return (
    <Panel title={span.name}>
      {span.message !== '' && <p class="effect-text bad-text">{span.message}</p>}
      <Facts
        facts={[
          ['Program', span.service],
          ['Node', span.node],
          ['Begins', `${millisText(span.startMs - startMs)} after the trace`],
          ['Length', millisText(span.durationMs)],
          ...Object.entries(span.attributes)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, value]) => [name, String(value)] as const),
        ]}
      />
    </Panel>
  );
}
