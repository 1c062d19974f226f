import type { NodeSummary } from '../../protocol/messages.ts';
import { byTrouble } from '../judge/judge.ts';
import type { JudgedNode } from '../judge/judge-nodes.ts';
import { countText } from '../parts/figures.ts';
import { Panel } from '../parts/panel.tsx';
import { StateDot } from '../parts/state-dot.tsx';
import { linkTo } from '../shell/route.ts';
import type { Store } from '../store/store.ts';
import { useJudgement, useNow, useStore, useSubscriptions } from '../store/use-store.ts';
import { KubernetesPanels } from './kubernetes/kubernetes-panels.tsx';
import { Outages } from './outages.tsx';
import { RolloutPanel } from './upgrade/rollout-panel.tsx';

/** The checks of the cluster, what is wrong with each node, what was wrong before, and the state of Kubernetes. */
export function HealthView() {
  const { names } = useStore();
  const store = useSubscriptions(names.map((node) => ({ kind: 'kubernetes', node })));
  const now = useNow();
  const judgement = useJudgement();
  const { number, health, checks, healthProblem, nodes, outages, rollout } = judgement;
  return (
    <>
      <header class="view-head" data-snapshot={number}>
        <h1>Health</h1>
        <p role="status">
          <StateDot condition={health.condition} title={health.value} /> {health.value}{' '}
          <span class="soft">{health.note}</span>
        </p>
        <p class="soft">
          Checks run every 15 seconds, after each change, and every 2 seconds while one fails.
        </p>
      </header>
      {healthProblem !== undefined && (
        <p class="problem">
          The checks cannot run: {healthProblem}
          {checks.length > 0 && '. What follows is what was known before.'}
        </p>
      )}
      {rollout.condition === 'bad' && (
        <RolloutPanel rollout={rollout} number={number} context={store.context} isBrief />
      )}
      <Panel title="Checks of the cluster" number={number}>
        {checks.length === 0 && healthProblem === undefined && <p class="nothing">checking …</p>}
        <ul class="checks">
          {checks.map(({ name, state, condition, word, reason, isOld }) => (
            <li
              key={name}
              class={isOld ? 'old' : state === 'failed' && condition === 'warning' ? 'late' : state}
            >
              <StateDot condition={condition} title={word} />
              <div>
                <strong>{name}</strong>
                {reason !== undefined && <p>{reason}</p>}
              </div>
              <span class="soft">{word}</span>
            </li>
          ))}
        </ul>
      </Panel>
      <Panel title="Nodes" number={number}>
        <Nodes nodes={nodes} store={store} />
      </Panel>
      <Outages outages={outages} number={number} now={now} />
      <KubernetesPanels store={store} nodes={nodes} />
    </>
  );
}

/** More nodes that are ready are folded, so that what follows is in sight. */
const mostReady = 12;

interface NodesProps {
  readonly nodes: readonly JudgedNode[];
  readonly store: Store;
}

function Nodes({ nodes, store }: NodesProps) {
  const ready = nodes.filter(({ condition }) => condition === 'good');
  const isFolded = ready.length > mostReady;
  const list = (shown: readonly JudgedNode[]) => (
    <ul class="checks">
      {shown.toSorted(byTrouble).map((node) => (
        <NodeHealth key={node.name} node={node} summary={store.summaries.get(node.name)} />
      ))}
    </ul>
  );
  if (!isFolded) return list(nodes);
  const others = nodes.filter(({ condition }) => condition !== 'good');
  return (
    <>
      {others.length > 0 && list(others)}
      <details class="checks-rest">
        <summary>{countText(ready.length, 'node')} ready, of which no service complains</summary>
        {list(ready)}
      </details>
    </>
  );
}

interface NodeHealthProps {
  readonly node: JudgedNode;
  readonly summary: NodeSummary | undefined;
}

function NodeHealth({ node: { name, condition, word, reasons, isOld }, summary }: NodeHealthProps) {
  return (
    <li class={condition === 'bad' ? 'failed' : ''}>
      <StateDot condition={condition} title={word} />
      <div>
        <strong>
          <a href={linkTo('node', [name])}>{name}</a>
        </strong>
        {reasons.map((reason) => (
          <p key={reason}>{reason}</p>
        ))}
        {condition === 'good' && <p class="soft">ready, and no service complains</p>}
        {condition === 'unknown' && <p class="soft">not known whether it is ready</p>}
      </div>
      <span class="soft">{isOld ? word : summary?.stage}</span>
    </li>
  );
}
