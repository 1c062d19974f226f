import type { EffectAnswer } from '../../../protocol/calls.ts';
import type { JudgedEtcd } from '../../judge/judge-etcd.ts';
import { Panel } from '../../parts/panel.tsx';
import { type VoterAfter, votersAfter } from './voters-after.ts';

type Quorum = NonNullable<NonNullable<EffectAnswer['effect']>['quorum']>;

interface EffectPanelsProps {
  readonly effect: EffectAnswer;
  /** The members of etcd as the page knows them, for their names. */
  readonly etcd: JudgedEtcd;
}

/** The effect in the words of the command line, the voters of etcd, what stops, and what would refuse it. */
export function EffectPanels({ effect: { lines, stops, effect }, etcd }: EffectPanelsProps) {
  const refusing = (effect?.nodes ?? []).filter(({ refusals }) => refusals.length > 0);
  return (
    <div class="columns">
      <Panel title="Effect" class="across">
        <EffectLines lines={lines} />
      </Panel>
      {effect !== undefined && (
        <Panel title="etcd">
          {effect.quorum === undefined ? (
            <p class="effect-text soft">
              {effect.nodes.some(({ etcd }) => etcd === 'unknown')
                ? 'No node reported the members of etcd.'
                : 'etcd is not concerned.'}
            </p>
          ) : (
            <>
              <QuorumFigure quorum={effect.quorum} />
              <Voters voters={votersAfter(etcd, effect)} />
            </>
          )}
        </Panel>
      )}
      {effect !== undefined && (
        <Panel title="What stops">
          <ul class="effect-lines">
            {stops.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </Panel>
      )}
      {refusing.length > 0 && (
        <Panel title="What refuses it" class="across">
          <ul class="effect-lines">
            {refusing.flatMap(({ node, refusals }) =>
              refusals.map((reason) => (
                <li key={node + reason} class="bad-text">
                  <strong>{node}</strong> {reason}
                </li>
              )),
            )}
          </ul>
        </Panel>
      )}
    </div>
  );
}

/** The sentences of the command line. */
export function EffectLines({ lines }: Pick<EffectAnswer, 'lines'>) {
  return (
    <ul class="effect-lines">
      {lines.map((line, at) => (
        <li key={at} class={line.startsWith('  ') ? 'inner' : ''}>
          {line.trim()}
        </li>
      ))}
    </ul>
  );
}

/** The voters by name, and which of them leads. */
function Voters({ voters }: { readonly voters: readonly VoterAfter[] }) {
  if (voters.length === 0) return null;
  return (
    <ul class="effect-lines" aria-label="Voters of etcd">
      {voters.map(({ name, isLeader, after }) => (
        <li key={name}>
          <strong>{name}</strong> {isLeader && <span class="chip">leader</span>}{' '}
          <span class={after === 'answers' || after === 'not known yet' ? 'soft' : 'bad-text'}>{after}</span>
        </li>
      ))}
    </ul>
  );
}

/** One square per voter: those that answer afterwards, those that do not, and those that the action takes away. */
function QuorumFigure({ quorum }: { readonly quorum: Quorum }) {
  const { votersBefore, lost, alive, needed, hasQuorum } = quorum;
  const silent = Math.max(0, votersBefore - lost - alive);
  const squares = [
    ...Array.from({ length: alive }, () => 'alive'),
    ...Array.from({ length: silent }, () => 'silent'),
    ...Array.from({ length: lost }, () => 'lost'),
  ];
  const text = hasQuorum
    ? `etcd works: ${alive} of ${votersBefore} voters answer, and ${needed} must`
    : `etcd stops: ${alive} of ${votersBefore} voters answer, and ${needed} must`;
  return (
    <div class="quorum">
      <svg viewBox={`0 0 ${votersBefore * 26} 24`} role="img" aria-label={text} width={votersBefore * 26}>
        {squares.map((state, at) => (
          <g key={at} class={state} transform={`translate(${at * 26} 0)`}>
            <rect x="1" y="1" width="20" height="20" rx="4" />
            {state !== 'alive' && <path d="M6 6l10 10M16 6L6 16" />}
          </g>
        ))}
      </svg>
      <p class={hasQuorum ? '' : 'bad-text'}>{text}.</p>
    </div>
  );
}
