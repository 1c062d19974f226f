import { quorumOf } from '@nodewright/client/what-if';
import { type EtcdMemberState, type EtcdSample, highestIndex } from '../model/etcd.ts';
import { type DashboardModel, shownNode } from '../model/model.ts';
import { type Frame, type Line, line, type Span, span } from '../screen/frame.ts';
import { type Cell, heading, table } from '../screen/widgets.ts';
import { clockText, shortSize } from './figures.ts';
import { graph } from './graph.ts';
import { narrow, short, wide } from './layout.ts';

/** Screen F7: the members of etcd, its quorum and its alarms. */
export function etcdView(model: DashboardModel, width: number, rows: number): Frame {
  const { etcd } = shownNode(model);
  const { sample, problem, writes, sizes } = etcd;
  if (sample === undefined) {
    const text = span(`  ${problem ?? 'waiting for the members ...'}`, problem === undefined ? 'dim' : 'bad');
    return [heading('etcd', width), line(), line(text)];
  }
  const top = [
    heading('etcd', width, `${clockText(new Date(sample.atMs))} UTC`),
    line(' ', quorumSpan(sample)),
    ...(problem === undefined ? [] : [line(span(` ! since then: ${problem}`, 'bad'))]),
    ...alarmLines(sample),
    ...memberTable(sample, width),
    ...sample.members.flatMap(problemLines),
  ];
  const room = rows - top.length;
  if (rows < short || room < 5) return top;
  const graphRows = Math.min(6, Math.floor((room - 2) / 2));
  const size = sizes.at(-1);
  return [
    ...top,
    ...graph({
      ...{ title: 'Raft entries per second', values: writes, width, rows: graphRows },
      last: writes.at(-1)?.toFixed(1),
    }),
    ...graph({
      ...{ title: 'Largest database', values: sizes, width, rows: graphRows },
      last: size === undefined ? undefined : shortSize(size),
    }),
  ];
}

/** How many voters answer, and how many more may fail. */
function quorumSpan({ members }: EtcdSample): Span {
  const voters = members.filter(({ member }) => !member.isLearner);
  const alive = voters.filter(({ status }) => status !== undefined).length;
  const needed = quorumOf(voters.length);
  const counted = `${alive} of ${voters.length} voters answer, ${needed} are needed`;
  if (alive < needed) return span(`${counted}: etcd has no quorum`, 'bad');
  const spare = alive - needed;
  if (spare === 0) return span(`${counted}: none of them may fail`, 'warning');
  return span(`${counted}: ${spare} more may fail`, 'good');
}

const alarmLines = ({ members }: EtcdSample): Line[] =>
  members
    .filter(({ alarms }) => alarms.length > 0)
    .map(({ member, alarms }) => line(span(` ! alarm of ${nameOf(member)}: ${alarms.join(', ')}`, 'bad')));

const nameOf = ({ hostname, id }: EtcdMemberState['member']): string =>
  hostname === '' ? id.toString(16).padStart(16, '0') : hostname;

function problemLines({ member, status, problem }: EtcdMemberState): Line[] {
  const errors = status?.errors ?? [];
  const texts = problem === undefined ? errors : [problem];
  return texts.map((text) => line(span(` ! ${nameOf(member)}: ${text}`, 'warning')));
}

function memberTable(sample: EtcdSample, width: number): Frame {
  const highest = highestIndex(sample);
  const [isNarrow, isWide] = [width < narrow, width >= wide];
  const columns = [
    { title: ' MEMBER', most: 24 },
    ...(isWide ? [{ title: 'ID' }] : []),
    { title: 'ROLE' },
    ...(isNarrow ? [] : [{ title: 'TERM', side: 'right' as const }]),
    ...(isNarrow ? [] : [{ title: 'INDEX', side: 'right' as const }]),
    { title: 'LAG', side: 'right' as const },
    { title: 'SIZE', side: 'right' as const },
    ...(isNarrow ? [] : [{ title: 'IN USE', side: 'right' as const }]),
    { title: 'VERSION' },
  ];
  const cells = sample.members.map(({ member, status }): Cell[] => {
    const name = ` ${nameOf(member)}`;
    if (status === undefined) return [name, ...(isWide ? [''] : []), span('away', 'bad')];
    const isLeader = status.leader === status.memberId;
    const lag = highest === undefined ? 0n : highest - status.raftAppliedIndex;
    return [
      name,
      ...(isWide ? [member.id.toString(16).padStart(16, '0')] : []),
      span(roleOf(status.isLearner, isLeader), isLeader ? 'good' : 'plain'),
      ...(isNarrow ? [] : [String(status.raftTerm), String(status.raftIndex)]),
      span(String(lag), lag > 1000n ? 'warning' : 'plain'),
      shortSize(status.dbSize),
      ...(isNarrow ? [] : [shortSize(status.dbSizeInUse)]),
      status.protocolVersion === '' ? '-' : status.protocolVersion,
    ];
  });
  return table(columns, cells, width);
}

function roleOf(isLearner: boolean, isLeader: boolean): string {
  if (isLearner) return 'learner';
  return isLeader ? 'leader' : 'voter';
}
