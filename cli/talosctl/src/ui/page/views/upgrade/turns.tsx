import type { JudgedStage, JudgedTurn } from '../../judge/judge-rollout.ts';
import { countText, durationText } from '../../parts/figures.ts';
import { StateDot } from '../../parts/state-dot.tsx';
import { linkTo } from '../../shell/route.ts';

/** More nodes than these are folded, but for those that act or have failed. */
const mostTurns = 24;

/** Nodes in the order of their turns, with their steps. */
export function Turns({
  turns,
  isBrief,
}: {
  readonly turns: readonly JudgedTurn[];
  readonly isBrief: boolean;
}) {
  if (isBrief || turns.length <= mostTurns) return <TurnList turns={turns} />;
  const active = turns.filter(({ isActive }) => isActive);
  const folded = [
    ['waiting', turns.filter(({ isActive, word }) => !isActive && word !== 'done')],
    ['done', turns.filter(({ word }) => word === 'done')],
  ] as const;
  return (
    <>
      {active.length > 0 && <TurnList turns={active} />}
      {folded.map(
        ([word, some]) =>
          some.length > 0 && (
            <details key={word} class="checks-rest">
              <summary>
                {countText(some.length, 'node')} {word}
              </summary>
              <TurnList turns={some} />
            </details>
          ),
      )}
    </>
  );
}

const TurnList = ({ turns }: { readonly turns: readonly JudgedTurn[] }) => (
  <ul class="turns">
    {turns.map((turn) => (
      <Turn key={turn.name} {...turn} />
    ))}
  </ul>
);

function Turn({
  name,
  node,
  role,
  attempt,
  word,
  condition,
  stages,
  reasons,
  spentMs,
  isActive,
}: JudgedTurn) {
  const again = attempt > 1 ? `attempt ${attempt}` : '';
  const spent = spentMs > 0 ? `for ${durationText(spentMs)}` : '';
  const toneOf = { good: '', unknown: '', warning: 'warning-text', bad: 'bad-text' };
  return (
    <li class={condition === 'bad' ? 'failed' : isActive ? 'acting' : ''}>
      <StateDot condition={condition} title={word} />
      <div class="turn-name">
        {node === undefined ? <strong>{name}</strong> : <a href={linkTo('node', [node])}>{name}</a>}
        <span class="soft">{[role, again].filter(Boolean).join(' · ')}</span>
      </div>
      <div class="turn-state">
        <strong class={word === 'waiting' ? 'soft' : toneOf[condition]}>{word}</strong>{' '}
        <span class="soft">{spent}</span>
      </div>
      {word !== 'waiting' && <Stages name={name} stages={stages} />}
      {reasons.map((reason) => (
        <p key={reason}>{reason}</p>
      ))}
    </li>
  );
}

const marks: Readonly<Record<JudgedStage['state'], string>> = {
  ...{ pending: '·', running: '▸', waiting: '…', done: '✓', failed: '✕', unknown: '?' },
};
const texts: Readonly<Record<JudgedStage['state'], string>> = {
  ...{
    pending: 'to come',
    running: 'runs',
    waiting: 'waits',
    done: 'done',
    failed: 'failed',
    unknown: 'not known',
  },
};

function Stages({ name, stages }: Pick<JudgedTurn, 'name' | 'stages'>) {
  return (
    <ol class="stages" aria-label={`Steps of ${name}`}>
      {stages.map(({ name: stage, state }) => (
        <li key={stage} class={state} title={`${stage}: ${texts[state]}`}>
          <span aria-hidden="true">{marks[state]}</span> {stage}
          <span class="unseen">: {texts[state]}</span>
        </li>
      ))}
    </ol>
  );
}
