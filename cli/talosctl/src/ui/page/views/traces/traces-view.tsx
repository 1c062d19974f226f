import type { TraceSummary, TracesAnswer } from '../../../protocol/traces.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { FilterField } from '../../parts/fields.tsx';
import { clockText, millisText } from '../../parts/figures.ts';
import { Panel, Waiting } from '../../parts/panel.tsx';
import { linkTo, type Route, replaceWith } from '../../shell/route.ts';
import { useSubscriptions } from '../../store/use-store.ts';
import { useAnswer } from './use-answer.ts';

const intervalMs = 3000;

const columns: readonly Column<TraceSummary>[] = [
  { title: 'Time', cell: ({ startMs }) => clockText(startMs, true), sort: ({ startMs }) => startMs },
  {
    title: 'Trace',
    cell: ({ id, name }) => <a href={linkTo('traces', [id])}>{name || id}</a>,
    sort: ({ name }) => name,
    isWide: true,
  },
  {
    title: 'Length',
    cell: ({ durationMs }) => millisText(durationMs),
    sort: ({ durationMs }) => durationMs,
    isNumber: true,
  },
  { title: 'Spans', cell: ({ spans }) => spans, sort: ({ spans }) => spans, isNumber: true },
  {
    title: 'Failed',
    cell: ({ failed }) => (failed === 0 ? '' : <span class="bad-text">{failed}</span>),
    sort: ({ failed }) => failed,
    isNumber: true,
  },
  { title: 'Programs', cell: ({ services }) => services.join(', ') },
  { title: 'Nodes', cell: ({ nodes }) => nodes.join(', ') },
];

const sources = {
  supervisor: 'the newest 16 MiB, kept by the supervisor of the cluster',
  jaeger: 'the newest of each program, from Jaeger',
  none: '',
} as const;

/** The newest traces of the cluster. */
export function TracesView({ route: { query } }: { readonly route: Route }) {
  const store = useSubscriptions([]);
  const text = query.get('text') ?? '';
  const onlyFailed = query.has('failed');
  const isWhole = query.has('all');
  const { answer, failure } = useAnswer<TracesAnswer>(store, 'traces', { isWhole }, intervalMs);
  const set = (change: Readonly<Record<string, string>>) =>
    replaceWith('traces', [], { text, failed: onlyFailed ? '1' : '', all: isWhole ? '1' : '', ...change });
  const wanted = text.toLowerCase();
  const traces = (answer?.traces ?? []).filter(
    ({ id, name, services, nodes, failed }) =>
      (!onlyFailed || failed > 0) &&
      [id, name, ...services, ...nodes].some((part) => part.toLowerCase().includes(wanted)),
  );
  return (
    <>
      <header class="view-head">
        <h1>Traces</h1>
        <FilterField text={text} onChange={(words) => set({ text: words })} />
        <label>
          <input
            type="checkbox"
            checked={onlyFailed}
            onChange={() => set({ failed: onlyFailed ? '' : '1' })}
          />{' '}
          only failed
        </label>
        <label>
          <input type="checkbox" checked={isWhole} onChange={() => set({ all: isWhole ? '' : '1' })} /> also
          controllers on their own
        </label>
        <p class="soft">{answer === undefined ? '' : sources[answer.source]}</p>
      </header>
      {failure !== undefined && (
        <p class="problem" role="alert">
          {failure}
        </p>
      )}
      {answer === undefined ? (
        failure === undefined && <Waiting problem={undefined} what="traces" />
      ) : answer.source === 'none' ? (
        <HowToSend />
      ) : (
        <Panel title={`${traces.length} of ${answer.traces.length} traces`}>
          <DataTable
            label="Traces"
            columns={columns}
            rows={traces}
            keyOf={({ id }) => id}
            nothing={answer.traces.length === 0 ? 'No trace has arrived yet.' : 'No trace matches.'}
          />
        </Panel>
      )}
    </>
  );
}

/** What to do where nothing keeps traces. */
function HowToSend() {
  return (
    <Panel title="Nothing keeps traces of this cluster">
      <div class="how-to">
        <p>
          A cluster of processes keeps its newest traces when it is created with{' '}
          <code>NODEWRIGHT_TRACES=keep talosctl cluster create …</code>; they then stand here.
        </p>
        <p>
          Nodes send traces to a collector that <code>OTEL_EXPORTER_OTLP_ENDPOINT</code> names when the
          cluster is created. A cluster of containers has a Jaeger, whose traces stand here where the cluster
          was created on this machine. Elsewhere, <code>talosctl cluster show</code> prints its address there.
        </p>
        <p>
          <code>talosctl ui --jaeger http://127.0.0.1:16686</code> shows the traces of a Jaeger here.
        </p>
      </div>
    </Panel>
  );
}
