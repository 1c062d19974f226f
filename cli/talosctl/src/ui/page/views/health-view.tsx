import type { CheckState, NodeSummary } from '../../protocol/messages.ts';
import { durationText } from '../parts/figures.ts';
import { Panel } from '../parts/panel.tsx';
import { StateDot } from '../parts/state-dot.tsx';
import { linkTo } from '../shell/route.ts';
import { type Condition, conditionOf, healthStatement } from '../store/cluster-condition.ts';
import { useNow, useStore, useSubscriptions } from '../store/use-store.ts';
import { KubernetesPanels } from './kubernetes/kubernetes-panels.tsx';

const conditions: Readonly<Record<CheckState['state'], Condition>> = {
  ...{ passed: 'good', failed: 'bad', skipped: 'unknown' },
};

/** The checks of the cluster, what is wrong with each node, and the state of Kubernetes. */
export function HealthView() {
  const { names } = useStore();
  const store = useSubscriptions(names.map((node) => ({ kind: 'kubernetes', node })));
  const now = useNow();
  const { checks, healthProblem } = store;
  const { condition, note } = healthStatement(store);
  const failed = checks.filter(({ state }) => state === 'failed').length;
  return (
    <>
      <header class="view-head">
        <h1>Health</h1>
        <p class="soft" role="status">
          {condition === 'good'
            ? 'no check fails'
            : condition === 'bad'
              ? `${failed} of ${checks.length} checks fail`
              : note}
          , every 15 seconds
        </p>
      </header>
      {healthProblem !== undefined && (
        <p class="problem">
          The checks cannot run: {healthProblem}
          {checks.length > 0 && '. What follows is what was known before.'}
        </p>
      )}
      <Panel title="Checks of the cluster">
        <ul class="checks">
          {checks.map(({ name, state, reason, sinceMs }) => (
            <li key={name} class={state}>
              <StateDot
                condition={healthProblem === undefined ? conditions[state] : 'unknown'}
                title={healthProblem === undefined ? state : `${state} before`}
              />
              <div>
                <strong>{name}</strong>
                {reason !== undefined && <p>{reason}</p>}
              </div>
              <span class="soft">
                {state} for {durationText(now - sinceMs)}
              </span>
            </li>
          ))}
        </ul>
      </Panel>
      <Panel title="Nodes">
        <ul class="checks">
          {store.names.map((name) => (
            <NodeHealth key={name} name={name} summary={store.summaries.get(name)} now={now} />
          ))}
        </ul>
      </Panel>
      <KubernetesPanels store={store} />
    </>
  );
}

interface NodeHealthProps {
  readonly name: string;
  readonly summary: NodeSummary | undefined;
  readonly now: number;
}

function NodeHealth({ name, summary, now }: NodeHealthProps) {
  const reasons = reasonsOf(summary, now);
  const condition = conditionOf(summary);
  return (
    <li class={condition === 'bad' ? 'failed' : ''}>
      <StateDot condition={condition} />
      <div>
        <strong>
          <a href={linkTo('node', [name])}>{name}</a>
        </strong>
        {reasons.map((reason) => (
          <p key={reason}>{reason}</p>
        ))}
        {condition === 'good' && <p class="soft">ready, and no service complains</p>}
        {condition === 'unknown' && <p class="soft">not known whether it is ready</p>}
        {condition === 'warning' && reasons.length === 0 && <p>not ready</p>}
      </div>
      <span class="soft">{summary?.stage}</span>
    </li>
  );
}

function reasonsOf(summary: NodeSummary | undefined, now: number): string[] {
  if (summary === undefined) return [];
  const { reach, troubles } = summary;
  if (reach.kind !== 'away') return troubles.map(({ name, reason }) => `${name}: ${reason}`);
  const hop = reach.hop === undefined ? '' : ` at hop ${reach.hop}`;
  return [`away for ${durationText(now - reach.sinceMs)}, failed${hop}: ${reach.message}`];
}
