import { useMemo, useState } from 'preact/hooks';
import { FilterField } from '../../parts/fields.tsx';
import { countText } from '../../parts/figures.ts';
import { type Route, replaceWith } from '../../shell/route.ts';
import type { MergedLine } from '../../store/merged-log.ts';
import type { Store } from '../../store/store.ts';
import { useStore, useSubscriptions } from '../../store/use-store.ts';
import { filterLines, type LeastLevel, leastLevels } from './log-filter.ts';
import { LogLines } from './log-lines.tsx';
import { Choice } from './log-sources.tsx';

/** The log of the kernel, which is not a service. */
const kernelLog = 'kernel';
const mostLogs = 64;
/** More nodes are not chosen at first. */
const firstNodes = 8;

/** The logs of services and of the kernel, of several nodes, in the order of time. */
export function LogsView({ route: { query } }: { readonly route: Route }) {
  const known = useStore();
  const nodes = chosenOf(query.get('nodes'), known.names, known.names.slice(0, firstNodes));
  const names = logNames(known);
  const logs = chosenOf(query.get('logs'), names, ['machined', 'apid']);
  const least = (leastLevels.find((level) => level === query.get('level')) ?? 'info') satisfies LeastLevel;
  const text = query.get('text') ?? '';
  const set = (change: Readonly<Record<string, string>>) =>
    replaceWith('logs', [], { nodes: nodes.join(','), logs: logs.join(','), level: least, text, ...change });
  const pairs = nodes.flatMap((node) => logs.map((log) => ({ node, log })));
  const followed = pairs.slice(0, mostLogs);
  const store = useSubscriptions(followed.map((pair) => ({ kind: 'log', ...pair })));

  const [frozen, setFrozen] = useState<{ readonly lines: readonly MergedLine[]; readonly count: number }>();
  const [isFollowing, setFollowing] = useState(true);
  const all = store.log.lines;
  const source = frozen?.lines ?? all;
  const lines = useMemo(() => filterLines(source, { least, text }), [source, least, text]);
  const colours = useMemo(() => new Map(store.names.map((name, at) => [name, at % 8])), [store.names]);
  const pause = () => setFrozen(frozen === undefined ? { lines: all, count: store.log.count } : undefined);
  const problems = problemsOf(store, followed);
  return (
    <div class="logs-view">
      <header class="view-head">
        <h1>Logs</h1>
        <FilterField
          label="Text"
          text={text}
          placeholder="part of a line, or a trace id"
          onChange={(words) => set({ text: words })}
        />
        <label>
          Level{' '}
          <select value={least} onChange={({ currentTarget }) => set({ level: currentTarget.value })}>
            {leastLevels.map((level) => (
              <option key={level} value={level}>
                {level === 'debug' ? 'all' : `${level} and above`}
              </option>
            ))}
          </select>
        </label>
        <button type="button" data-pause aria-pressed={frozen !== undefined} onClick={pause}>
          {frozen === undefined ? 'Pause' : `Resume (${store.log.count - frozen.count} new)`}
        </button>
        <p class="soft" role="status">
          {lines.length} of {countText(source.length, 'line')}
          {pairs.length > followed.length && `, ${followed.length} of ${pairs.length} logs`}
          {store.log.ownCount > 0 && `; ${store.log.ownCount} about this page itself left out`}
          {!isFollowing && frozen === undefined && ', scrolled back'}
        </p>
      </header>
      <div class="logs-body">
        <div class="sources">
          <Choice
            title="Nodes"
            names={store.names}
            chosen={new Set(nodes)}
            colours={colours}
            onChoose={(chosen) => set({ nodes: chosen.join(',') || '-' })}
          />
          <Choice
            title="Logs"
            names={names}
            chosen={new Set(logs)}
            onChoose={(chosen) => set({ logs: chosen.join(',') || '-' })}
          />
        </div>
        <div class="log-column">
          {problems.length > 0 && <p class="problem">{problems.slice(0, 3).join(' · ')}</p>}
          <LogLines
            lines={lines}
            colours={colours}
            isFollowing={isFollowing && frozen === undefined}
            onFollow={setFollowing}
            onTrace={(trace) => set({ text: trace, level: 'debug' })}
          />
        </div>
      </div>
    </div>
  );
}

/** What the address chooses, `-` for nothing; without a choice the first ones. */
function chosenOf(
  text: string | null,
  known: readonly string[],
  first: readonly string[],
): readonly string[] {
  const wanted = text === null ? first : text.split(',');
  return known.filter((name) => wanted.includes(name));
}

function logNames({ summaries }: Store): readonly string[] {
  const services = new Set([...summaries.values()].flatMap((summary) => summary.services));
  return [kernelLog, ...[...services].sort()];
}

function problemsOf(
  store: Store,
  followed: readonly { readonly node: string; readonly log: string }[],
): string[] {
  return followed.flatMap((pair) => {
    const { problem } = store.feed({ kind: 'log', ...pair });
    // A worker has fewer services than a control plane: that is no problem to report.
    if (problem === undefined || !(store.summaries.get(pair.node)?.services.includes(pair.log) ?? true))
      return [];
    return [`${pair.node} ${pair.log}: ${problem}`];
  });
}
