import type { EtcdMember, NodeSummary } from '../../../protocol/messages.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { bytesText } from '../../parts/figures.ts';
import { Meter, Panel } from '../../parts/panel.tsx';
import { linkTo } from '../../shell/route.ts';

interface MemberRow {
  readonly node: string;
  readonly isAway: boolean;
  readonly member: EtcdMember | undefined;
}

/** The control planes that run etcd, or should. */
function membersOf(summaries: readonly NodeSummary[]): MemberRow[] {
  return summaries
    .filter(({ services }) => services.includes('etcd'))
    .map(({ name, reach, etcd }) => ({ node: name, isAway: reach.kind !== 'here', member: etcd }));
}

/** The members of etcd: who leads, how far each one is, how large its database is. */
export function EtcdPanel({ summaries }: { readonly summaries: readonly NodeSummary[] }) {
  const rows = membersOf(summaries);
  if (rows.length === 0) return null;
  const members = rows.flatMap(({ member }) => member ?? []);
  const newest = Math.max(0, ...members.map(({ raftIndex }) => raftIndex));
  const leader = rows.find(({ member }) => member !== undefined && member.id === member.leader);
  const term = Math.max(0, ...members.map((member) => member.term));
  return (
    <Panel
      title="etcd"
      aside={
        <p class="soft">
          {leader === undefined ? (
            <strong class="bad-text">no leader is known</strong>
          ) : (
            <>
              <strong>{leader.node}</strong> leads term {term}
            </>
          )}
        </p>
      }
    >
      <DataTable
        label="Members of etcd"
        nothing="no member"
        rows={rows}
        keyOf={({ node }) => node}
        columns={[
          { title: 'Node', cell: ({ node }) => <a href={linkTo('node', [node])}>{node}</a> },
          { title: 'Role', cell: (row) => <Role {...row} /> },
          { title: 'Term', isNumber: true, cell: ({ member }) => member?.term ?? '–' },
          { title: 'Raft index', isNumber: true, cell: ({ member }) => member?.raftIndex ?? '–' },
          {
            title: 'Behind',
            isNumber: true,
            cell: ({ member }) => (member === undefined ? '–' : newest - member.raftIndex),
          },
          { title: 'Database in use', cell: ({ member }) => <Database member={member} /> },
          { title: 'Version', cell: ({ member }) => member?.version ?? '–' },
          { title: 'Alarms', isWide: true, cell: ({ member }) => <Alarms member={member} /> },
        ]}
      />
    </Panel>
  );
}

function Role({ member, isAway }: MemberRow) {
  if (member === undefined) return <span class="bad-text">{isAway ? 'away' : 'no answer'}</span>;
  if (member.id === member.leader) return <strong>leader</strong>;
  return <>{member.isLearner ? 'learner' : 'follower'}</>;
}

function Database({ member }: Pick<MemberRow, 'member'>) {
  if (member === undefined) return <>–</>;
  const { usedBytes, dbBytes } = member;
  const text = `${bytesText(usedBytes)} of ${bytesText(dbBytes)}`;
  return <Meter share={usedBytes / Math.max(1, dbBytes)} text={text} label="database in use" isPlain />;
}

function Alarms({ member }: Pick<MemberRow, 'member'>) {
  const alarms = [...(member?.alarms ?? []), ...(member?.errors ?? [])];
  if (alarms.length === 0) return <span class="soft">{member === undefined ? '–' : 'none'}</span>;
  return <strong class="bad-text">{alarms.join(', ')}</strong>;
}
