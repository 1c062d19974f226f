import type { NodeSummary } from '../../../protocol/messages.ts';
import { countText, percentText } from '../../parts/figures.ts';
import { linkTo } from '../../shell/route.ts';
import {
  healthStatement,
  nodesStatement,
  reachStatement,
  type Statement,
  versionStatement,
} from '../../store/cluster-condition.ts';
import type { Store } from '../../store/store.ts';
import { useNow, useSubscriptions } from '../../store/use-store.ts';
import { EtcdPanel } from './etcd-panel.tsx';
import { NodeCard } from './node-card.tsx';

/** More nodes get smaller cards. */
const largeCards = 24;

/** All nodes by role, and what concerns the whole cluster. */
export function ClusterView() {
  const store = useSubscriptions([]);
  const now = useNow();
  const summaries = store.names.flatMap((name) => store.summaries.get(name) ?? []);
  return (
    <>
      <header class="view-head">
        <h1>Cluster {store.context}</h1>
      </header>
      <Tiles store={store} summaries={summaries} />
      <EtcdPanel summaries={summaries} />
      {groupsOf(store).map(([title, names]) => (
        <section key={title} class="group">
          <h2>
            {title} <span class="soft">{names.length}</span>
          </h2>
          <ul class={`cards ${store.names.length > largeCards ? 'small' : ''}`}>
            {names.map((name) => {
              const summary = store.summaries.get(name);
              return (
                <NodeCard
                  key={name}
                  name={name}
                  summary={summary}
                  points={store.histories.get(name) ?? noPoints}
                  nowMs={summary?.reach.kind === 'away' ? now : 0}
                />
              );
            })}
          </ul>
        </section>
      ))}
    </>
  );
}

const noPoints: readonly never[] = [];

const titles: Readonly<Record<string, string>> = {
  ...{ controlplane: 'Control planes', worker: 'Workers', init: 'Init nodes' },
};

/** The nodes by role, control planes first. */
function groupsOf({ names, summaries }: Store): [string, string[]][] {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const role = summaries.get(name)?.role ?? '';
    const title = titles[role] ?? 'Nodes';
    groups.set(title, [...(groups.get(title) ?? []), name]);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}

function Tiles({ store, summaries }: { readonly store: Store; readonly summaries: readonly NodeSummary[] }) {
  const here = summaries.filter(({ reach }) => reach.kind === 'here');
  const cpus = here.flatMap(({ name }) => store.histories.get(name)?.at(-1)?.cpu ?? []);
  const cpu = cpus.length === 0 ? undefined : cpus.reduce((sum, each) => sum + each, 0) / cpus.length;
  const memory = here.flatMap(({ memory: each }) => each ?? []);
  const used = memory.reduce((sum, { usedBytes }) => sum + usedBytes, 0);
  const total = memory.reduce((sum, { totalBytes }) => sum + totalBytes, 0);
  return (
    <dl class="tiles">
      <StatementTile name="Nodes" {...reachStatement(store)} />
      <StatementTile name="Condition" {...nodesStatement(store)} />
      <StatementTile name="Health" {...healthStatement(store)} link={linkTo('health')} />
      <Tile name="CPU, mean" value={percentText(cpu)} note={countText(sumOf(here), 'processor')} />
      <Tile name="Memory" value={percentText(total === 0 ? undefined : used / total)} note="in use" />
      <StatementTile name="Version" {...versionStatement(store)} />
    </dl>
  );
}

const sumOf = (summaries: readonly NodeSummary[]) => summaries.reduce((sum, { cpus = 0 }) => sum + cpus, 0);

interface StatementTileProps extends Statement {
  readonly name: string;
  readonly link?: string;
}

/** A statement about the cluster. What is not known has no colour. */
function StatementTile({ name, value, note, condition, link }: StatementTileProps) {
  return (
    <Tile
      name={name}
      value={link === undefined ? value : <a href={link}>{value}</a>}
      note={note}
      tone={condition === 'unknown' ? undefined : condition}
    />
  );
}

interface TileProps {
  readonly name: string;
  readonly value: preact.ComponentChildren;
  readonly note: string;
  readonly tone?: 'good' | 'warning' | 'bad' | undefined;
}

function Tile({ name, value, note, tone = undefined }: TileProps) {
  return (
    <div class={`tile ${tone ?? ''}`}>
      <dt>{name}</dt>
      <dd>
        <span class="value">{value}</span>
        <span class="note" title={note}>
          {note}
        </span>
      </dd>
    </div>
  );
}
