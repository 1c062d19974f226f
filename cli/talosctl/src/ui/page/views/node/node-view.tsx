import { useEffect } from 'preact/hooks';
import type { JudgedNode } from '../../judge/judge-nodes.ts';
import { clockText, durationText } from '../../parts/figures.ts';
import { StateDot } from '../../parts/state-dot.tsx';
import { goTo, linkTo, replaceWith } from '../../shell/route.ts';
import type { FeedState } from '../../store/feed-state.ts';
import type { Store } from '../../store/store.ts';
import { useJudgement, useNow, useStore, useSubscriptions } from '../../store/use-store.ts';
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
  readonly judged: JudgedNode;
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
  const { number, nodes } = useJudgement();
  const name = wanted === '' ? (store.names[0] ?? '') : wanted;
  // An entry of its own would lead back here, and from here forward again.
  useEffect(() => {
    if (wanted === '' && name !== '') replaceWith('node', [name]);
  }, [wanted, name]);
  const judged = nodes.find((node) => node.name === name);
  if (judged === undefined) {
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
      <header class="view-head" data-snapshot={number}>
        <h1>
          <StateDot condition={judged.condition} title={judged.word} /> {name}
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
          {[judged.word, summary?.role, judged.isOld ? '' : summary?.stage, summary?.version]
            .filter(Boolean)
            .join(' · ')}
          {summary?.bootMs !== undefined && !judged.isOld && ` · up ${durationText(now - summary.bootMs)}`}
        </p>
        <a href={linkTo('what-if', [], { nodes: name })}>reboot, shut down, reset …</a>
      </header>
      {judged.away !== undefined && (
        <p class={judged.isExpected ? 'notice' : 'problem'} role="status">
          {judged.isExpected && 'The node restarts for its upgrade. '}Away since{' '}
          {clockText(judged.away.sinceMs)}
          {judged.away.hop !== undefined && `, failed at hop ${judged.away.hop}`}: {judged.away.message}. What
          follows is what was known before.
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
      <div class={judged.isOld ? 'old' : ''}>
        <Tab key={name} {...{ name, store, judged, now }} feed={store.feed({ kind: 'node', node: name })} />
      </div>
    </>
  );
}
