import { useContext } from 'preact/hooks';
import type { NodeSummary, Point } from '../../../protocol/messages.ts';
import type { JudgedNode } from '../../judge/judge-nodes.ts';
import { bytesText, clockText, durationText, numberText, percentText } from '../../parts/figures.ts';
import { memo } from '../../parts/memo.ts';
import { Sparkline } from '../../parts/sparkline.tsx';
import { StateDot } from '../../parts/state-dot.tsx';
import { linkTo } from '../../shell/route.ts';
import { StoreContext } from '../../store/use-store.ts';

interface NodeCardProps {
  readonly name: string;
  readonly condition: JudgedNode['condition'];
  /** The condition in a word. */
  readonly word: string;
  /** Why the node cannot be reached; undefined while it can be. */
  readonly away: JudgedNode['away'];
  /** What the node does in its turn of an upgrade. */
  readonly turn: JudgedNode['turn'];
  /** Whether it is away because it restarts in that turn. */
  readonly isExpected: boolean;
  /** The number of the snapshot. */
  readonly number: number;
  readonly summary: NodeSummary | undefined;
  readonly points: readonly Point[];
  /** The time for a node that is away, whose card counts seconds; else 0, so that the card is not drawn again. */
  readonly nowMs: number;
}

const noPoints: readonly Point[] = [];

/** A node on the map. */
export const NodeCard = memo((props: NodeCardProps) => {
  const { name, condition, word, away, number, summary, points = noPoints, nowMs } = props;
  const { turn, isExpected } = props;
  const store = useContext(StoreContext);
  const last = points.at(-1);
  const { etcd } = summary ?? {};
  return (
    <li class={`node-card ${condition}`} data-snapshot={number}>
      <h3>
        <StateDot condition={condition} title={word} />
        <a href={linkTo('node', [name])}>{name}</a>
        {away === undefined && etcd !== undefined && etcd.id === etcd.leader && (
          <span class="chip">etcd leader</span>
        )}
        {turn !== undefined && <span class="chip">upgrade: {turn}</span>}
      </h3>
      <p class="line">{lineOf(props, store.nowMs())}</p>
      {away !== undefined ? (
        <Away reach={away} nowMs={nowMs} isExpected={isExpected} />
      ) : (
        <>
          <dl class="trends">
            <Trend name="CPU" value={percentText(last?.cpu)}>
              <Sparkline points={points} of="cpu" most={1} />
            </Trend>
            <Trend name="Memory" value={percentText(last?.memory)} title={memoryText(summary)}>
              <Sparkline points={points} of="memory" most={1} />
            </Trend>
            <Trend
              name="Load"
              value={numberText(last?.load, 2)}
              title={summary?.load?.map((each) => each.toFixed(2)).join(' ')}
            >
              <Sparkline points={points} of="load" most={summary?.cpus} />
            </Trend>
          </dl>
          {summary?.sharesHost && <p class="soft">of the host</p>}
          <Troubles summary={summary} />
        </>
      )}
    </li>
  );
});

/** What the node is; while it is away, only what does not change. */
function lineOf({ name, summary, away }: NodeCardProps, nowMs: number): string {
  if (summary === undefined || summary.reach.kind === 'connecting') return 'connecting …';
  const { hostname, stage, version, bootMs } = summary;
  const isAway = away !== undefined;
  return [
    hostname === name ? undefined : hostname,
    isAway ? undefined : stage,
    isAway || bootMs === undefined ? undefined : `up ${durationText(nowMs - bootMs)}`,
    version,
  ]
    .filter((part) => part !== undefined && part !== '')
    .join(' · ');
}

const memoryText = (summary: NodeSummary | undefined) =>
  summary?.memory && `${bytesText(summary.memory.usedBytes)} of ${bytesText(summary.memory.totalBytes)}`;

interface TrendProps {
  readonly name: string;
  readonly value: string;
  readonly title?: string | undefined;
  readonly children: preact.ComponentChildren;
}

function Trend({ name, value, title, children }: TrendProps) {
  return (
    <div title={title}>
      <dt>{name}</dt>
      <dd>
        {children}
        <span class="value">{value}</span>
      </dd>
    </div>
  );
}

interface AwayProps {
  readonly reach: NonNullable<JudgedNode['away']>;
  readonly nowMs: number;
  readonly isExpected: boolean;
}

function Away({ reach, nowMs, isExpected }: AwayProps) {
  const { sinceMs, message, hop, retryMs } = reach;
  const restSeconds = retryMs === undefined ? 0 : Math.ceil((retryMs - nowMs) / 1000);
  return (
    <div class="away">
      <p>
        <strong>{isExpected ? 'restarts for its upgrade' : 'away'}</strong>
        {isExpected && ', away'} since {clockText(sinceMs)} ({durationText(nowMs - sinceMs)})
      </p>
      <p>
        {hop === undefined ? (
          'reported by the node itself'
        ) : (
          <>
            failed at hop <code>{hop}</code>
          </>
        )}
      </p>
      <p class="reason">{message}</p>
      <p class="soft">{restSeconds > 0 ? `next try in ${restSeconds}s` : 'trying now …'}</p>
    </div>
  );
}

function Troubles({ summary }: { readonly summary: NodeSummary | undefined }) {
  const { troubles = [] } = summary ?? {};
  if (troubles.length === 0) return null;
  return (
    <ul class="troubles">
      {troubles.slice(0, 2).map(({ name, reason }) => (
        <li key={name} title={`${name}: ${reason}`}>
          <strong>{name}</strong> {reason}
        </li>
      ))}
      {troubles.length > 2 && <li class="soft">and {troubles.length - 2} more</li>}
    </ul>
  );
}
