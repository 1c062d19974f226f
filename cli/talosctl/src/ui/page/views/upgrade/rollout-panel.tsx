import type { JudgedRollout, JudgedTurn } from '../../judge/judge-rollout.ts';
import { Command, commandText } from '../../parts/command.tsx';
import { countText } from '../../parts/figures.ts';
import { Meter, Panel } from '../../parts/panel.tsx';
import { StateDot } from '../../parts/state-dot.tsx';
import { linkTo } from '../../shell/route.ts';
import { Turns } from './turns.tsx';

interface RolloutPanelProps {
  readonly rollout: JudgedRollout;
  /** The number of the snapshot. */
  readonly number: number;
  readonly context: string;
  /** Shows only the nodes that act or have failed. */
  readonly isBrief?: boolean;
}

/** How far the upgrade of all nodes is, what it waits for, and the commands that change it. */
export function RolloutPanel({ rollout, number, context, isBrief = false }: RolloutPanelProps) {
  const { headline, condition, waitsFor, problem, plan, done, turns, commands } = rollout;
  const shown = isBrief ? turns.filter(({ isActive }) => isActive).map(withoutSaid(headline)) : turns;
  return (
    <Panel
      title="Upgrade of all nodes"
      class={`rollout ${condition}`}
      number={number}
      aside={isBrief && <a href={linkTo('upgrade')}>all nodes and steps</a>}
    >
      <div class="rollout-head">
        <p role="status">
          <StateDot condition={condition} title={conditionText(rollout)} /> <strong>{headline}</strong>
        </p>
        {plan !== undefined && (
          <Meter
            share={done / Math.max(1, plan.nodeCount)}
            text={`${done} of ${countText(plan.nodeCount, 'node')}`}
            label="nodes done"
            isPlain
          />
        )}
      </div>
      {problem !== undefined && <p class="rollout-line soft">{problem}</p>}
      {waitsFor !== '' && <p class="rollout-line">Waits for: {waitsFor}</p>}
      {shown.length > 0 && <Turns turns={shown} isBrief={isBrief} />}
      {commands.length > 0 && (
        <div class="rollout-commands">
          {commands.map(({ words, does }) => (
            <Command key={words} text={commandText(context, words)} does={does} />
          ))}
        </div>
      )}
    </Panel>
  );
}

function conditionText({ plan, condition }: JudgedRollout): string {
  if (condition === 'unknown' && plan?.phase === 'running') return 'not known now';
  return plan?.phase ?? 'none';
}

/** The reason why a plan has stopped is that of its node. */
const withoutSaid = (headline: string) => (turn: JudgedTurn) => ({
  ...turn,
  reasons: turn.reasons.filter((reason) => !headline.includes(reason)),
});
