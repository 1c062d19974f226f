import type { CheckState, NodeSummary } from '../../protocol/messages.ts';
import { durationText } from '../parts/figures.ts';
import { Panel } from '../parts/panel.tsx';
import { type Condition, StateDot } from '../parts/state-dot.tsx';
import { linkTo } from '../shell/route.ts';
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
  const failed = checks.filter(({ state }) => state === 'failed').length;
  return (
    <>
      <header class="view-head">
        <h1>Health</h1>
        <p class="soft" role="status">
          {checks.length === 0
            ? 'checking …'
            : failed === 0
              ? 'no check fails'
              : `${failed} of ${checks.length} checks fail`}
          , every 15 seconds
        </p>
      </header>
      {healthProblem !== undefined && <p class="problem">The checks cannot run: {healthProblem}</p>}
      <Panel title="Checks of the cluster">
        <ul class="checks">
          {checks.map(({ name, state, reason, sinceMs }) => (
            <li key={name} class={state}>
              <StateDot condition={conditions[state]} title={state} />
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
  const isAway = summary?.reach.kind === 'away';
  const isKnown = summary !== undefined && summary.reach.kind !== 'connecting';
  return (
    <li class={isAway ? 'failed' : ''}>
      <StateDot condition={isAway ? 'bad' : !isKnown ? 'unknown' : reasons.length > 0 ? 'warning' : 'good'} />
      <div>
        <strong>
          <a href={linkTo('node', [name])}>{name}</a>
        </strong>
        {reasons.map((reason) => (
          <p key={reason}>{reason}</p>
        ))}
        {isKnown && reasons.length === 0 && <p class="soft">ready, and no service complains</p>}
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
