import type { NodeSummary } from '../../../protocol/messages.ts';
import type { Condition, Statement } from '../../judge/condition.ts';
import type { Judgement } from '../../judge/judge.ts';
import { FilterField } from '../../parts/fields.tsx';
import { countText, percentText } from '../../parts/figures.ts';
import { linkTo, type Route, replaceWith } from '../../shell/route.ts';
import type { Store } from '../../store/store.ts';
import { useJudgement, useNow, useSubscriptions } from '../../store/use-store.ts';
import { Outages } from '../outages.tsx';
import { RolloutPanel } from '../upgrade/rollout-panel.tsx';
import { EtcdPanel } from './etcd-panel.tsx';
import { groupNodes, manyNodes, matches } from './group-nodes.ts';
import { NodeCard } from './node-card.tsx';

/** All nodes by role, and what concerns the whole cluster. */
export function ClusterView({ route: { query } }: { readonly route: Route }) {
  const store = useSubscriptions([]);
  const now = useNow();
  const judgement = useJudgement();
  const { number, nodes, etcd, outages, rollout } = judgement;
  const text = query.get('text') ?? '';
  const shown = nodes.filter((node) => matches(node, store.summaries.get(node.name), text));
  const summaries = store.names.flatMap((name) => store.summaries.get(name) ?? []);
  return (
    <>
      <header class="view-head">
        <h1>Cluster {store.context}</h1>
        {(nodes.length > fewNodes || text !== '') && (
          <FilterField
            label="Nodes"
            text={text}
            placeholder="name, role, state, version"
            onChange={(words) => replaceWith('cluster', [], { text: words })}
          />
        )}
        {text !== '' && (
          <p class="soft" role="status">
            {shown.length} of {countText(nodes.length, 'node')}
          </p>
        )}
      </header>
      <Tiles {...{ store, summaries, judgement }} />
      {rollout.isShown && <RolloutPanel rollout={rollout} number={number} context={store.context} isBrief />}
      <EtcdPanel etcd={etcd} number={number} />
      {groupNodes(shown, store.summaries, nodes.length > manyNodes).map(({ title, members }) => (
        <section key={title} class="group" data-snapshot={number}>
          <h2>
            {title} <span class="soft">{members.length}</span>
          </h2>
          <ul class={`cards ${nodes.length > manyNodes ? 'small' : ''}`}>
            {members.map(({ name, condition, word, away, turn, isExpected }) => (
              <NodeCard
                key={name}
                {...{ name, condition, word, away, turn, isExpected, number }}
                summary={store.summaries.get(name)}
                points={store.histories.get(name) ?? noPoints}
                nowMs={away === undefined ? 0 : now}
              />
            ))}
          </ul>
        </section>
      ))}
      {outages.length > 0 && <Outages {...{ outages, number, now }} />}
    </>
  );
}

/** With fewer nodes a filter is of no use. */
const fewNodes = 8;
const noPoints: readonly never[] = [];

interface TilesProps {
  readonly store: Store;
  readonly summaries: readonly NodeSummary[];
  readonly judgement: Judgement;
}

function Tiles({ store, summaries, judgement }: TilesProps) {
  const here = summaries.filter(({ reach }) => reach.kind === 'here');
  const cpus = here.flatMap(({ name }) => store.histories.get(name)?.at(-1)?.cpu ?? []);
  const cpu = cpus.length === 0 ? undefined : cpus.reduce((sum, each) => sum + each, 0) / cpus.length;
  const memory = here.flatMap(({ memory: each }) => each ?? []);
  const used = memory.reduce((sum, { usedBytes }) => sum + usedBytes, 0);
  const total = memory.reduce((sum, { totalBytes }) => sum + totalBytes, 0);
  const { number, reach, condition, health, version } = judgement;
  return (
    <dl class="tiles" data-snapshot={number}>
      <StatementTile name="Nodes" {...reach} />
      <StatementTile name="Condition" {...condition} />
      <StatementTile name="Health" {...health} link={linkTo('health')} />
      <Tile name="CPU, mean" value={percentText(cpu)} note={countText(sumOf(here), 'processor')} />
      <Tile name="Memory" value={percentText(total === 0 ? undefined : used / total)} note="in use" />
      <Tile
        name="Version"
        value={version.value}
        note={version.note}
        {...(version.condition === 'warning' && { tone: 'warning' })}
      />
    </dl>
  );
}

const sumOf = (summaries: readonly NodeSummary[]) => summaries.reduce((sum, { cpus = 0 }) => sum + cpus, 0);

interface StatementTileProps extends Statement {
  readonly name: string;
  readonly link?: string;
}

/** A statement about the cluster. What is not known is grey. */
function StatementTile({ name, value, note, condition, link }: StatementTileProps) {
  return (
    <Tile
      {...{ name, note }}
      value={link === undefined ? value : <a href={link}>{value}</a>}
      tone={condition}
    />
  );
}

interface TileProps {
  readonly name: string;
  readonly value: preact.ComponentChildren;
  readonly note: string;
  readonly tone?: Condition;
}

function Tile({ name, value, note, tone }: TileProps) {
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
