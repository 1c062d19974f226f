import { useEffect } from 'preact/hooks';
import { clockText, durationText } from '../../parts/figures.ts';
import { StateDot } from '../../parts/state-dot.tsx';
import { goTo, linkTo, replaceWith } from '../../shell/route.ts';
import { conditionOf } from '../../store/cluster-condition.ts';
import type { FeedState } from '../../store/feed-state.ts';
import type { Store } from '../../store/store.ts';
import { useNow, useStore, useSubscriptions } from '../../store/use-store.ts';
import { NetworkTab } from './network-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { PodsTab } from './pods-tab.tsx';
import { ProcessesTab } from './processes-tab.tsx';
import { ServicesTab } from './services-tab.tsx';
import { StorageTab } from './storage-tab.tsx';

export interface TabProps {
  readonly name: string;
  readonly store: Store;
  readonly feed: FeedState;
  readonly now: number;
}

const tabs = [
  ['overview', 'Overview', OverviewTab],
  ['services', 'Services', ServicesTab],
  ['processes', 'Processes', ProcessesTab],
  ['storage', 'Storage', StorageTab],
  ['network', 'Network', NetworkTab],
  ['pods', 'Pods', PodsTab],
] as const;

/** What a tab follows besides the node itself. */
const further: Readonly<Record<string, readonly ('sockets' | 'kubernetes' | 'containers')[]>> = {
  network: ['sockets'],
  pods: ['kubernetes', 'containers'],
};

/** Everything about one node. */
export function NodeView({ name: wanted, tab }: { readonly name: string; readonly tab: string }) {
  const [, , Tab] = tabs.find(([id]) => id === tab) ?? tabs[0];
  const { names } = useStore();
  const kinds = ['node' as const, ...((Object.hasOwn(further, tab) && further[tab]) || [])];
  const store = useSubscriptions(names.includes(wanted) ? kinds.map((kind) => ({ kind, node: wanted })) : []);
  const now = useNow();
  const name = wanted === '' ? (store.names[0] ?? '') : wanted;
  // An entry of its own would lead back here, and from here forward again.
  useEffect(() => {
    if (wanted === '' && name !== '') replaceWith('node', [name]);
  }, [wanted, name]);
  if (!store.names.includes(name)) {
    return (
      <header class="view-head">
        <h1>Node {name}</h1>
        <p class="problem">There is no node of this name in the context.</p>
      </header>
    );
  }
  const summary = store.summaries.get(name);
  return (
    <>
      <header class="view-head">
        <h1>
          <StateDot condition={conditionOf(summary)} /> {name}
        </h1>
        <label>
          Node{' '}
          <select value={name} onChange={({ currentTarget }) => goTo('node', [currentTarget.value, tab])}>
            {store.names.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <p class="soft">
          {[summary?.role, summary?.stage, summary?.version].filter(Boolean).join(' · ')}
          {summary?.bootMs !== undefined && ` · up ${durationText(now - summary.bootMs)}`}
        </p>
        <a href={linkTo('what-if', [], { nodes: name })}>reboot, shut down, reset …</a>
      </header>
      {summary?.reach.kind === 'away' && (
        <p class="problem" role="status">
          Away since {clockText(summary.reach.sinceMs)}
          {summary.reach.hop !== undefined && `, failed at hop ${summary.reach.hop}`}: {summary.reach.message}
          . What follows is what was known before.
        </p>
      )}
      <nav class="tabs" aria-label="Parts of the node">
        {tabs.map(([id, title]) => (
          <a
            key={id}
            href={linkTo('node', id === 'overview' ? [name] : [name, id])}
            aria-current={(tab || 'overview') === id ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <Tab key={name} name={name} store={store} feed={store.feed({ kind: 'node', node: name })} now={now} />
    </>
  );
}
