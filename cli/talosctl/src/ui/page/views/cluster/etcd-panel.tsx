import type { JudgedEtcd, JudgedMember } from '../../judge/judge-etcd.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { bytesText } from '../../parts/figures.ts';
import { Meter, Panel } from '../../parts/panel.tsx';
import { linkTo } from '../../shell/route.ts';

/** The members of etcd: who leads, how far each one is, how large its database is. */
export function EtcdPanel({ etcd, number }: { readonly etcd: JudgedEtcd; readonly number: number }) {
  const { members, leader, term, raftIndex, statement } = etcd;
  // The leader may not have been asked yet, or be on a node that the page does not show.
  const isWell = statement?.condition === 'unknown' || statement?.condition === 'good';
  if (members.length === 0) return null;
  return (
    <Panel
      title="etcd"
      number={number}
      aside={
        <p class="soft">
          {leader === undefined ? (
            <strong class={isWell ? '' : 'bad-text'}>no leader is known</strong>
          ) : (
            <>
              <strong>{leader}</strong> leads term {term}
            </>
          )}
        </p>
      }
    >
      <DataTable
        label="Members of etcd"
        nothing="no member"
        rows={members}
        keyOf={({ node }) => node}
        columns={[
          { title: 'Node', cell: ({ node }) => <a href={linkTo('node', [node])}>{node}</a> },
          { title: 'Role', cell: (row) => <Role {...row} /> },
          { title: 'Term', isNumber: true, cell: ({ member }) => member?.term ?? '–' },
          { title: 'Raft index', isNumber: true, cell: ({ member }) => member?.raftIndex ?? '–' },
          {
            title: 'Behind',
            isNumber: true,
            cell: ({ member }) => (member === undefined ? '–' : raftIndex - member.raftIndex),
          },
          { title: 'Database in use', cell: ({ member }) => <Database member={member} /> },
          { title: 'Version', cell: ({ member }) => member?.version ?? '–' },
          { title: 'Alarms', isWide: true, cell: ({ member }) => <Alarms member={member} /> },
        ]}
      />
    </Panel>
  );
}

function Role({ role, condition }: JudgedMember) {
  if (role === 'leader') return <strong>leader</strong>;
  return (
    <span class={condition === 'bad' || condition === 'warning' ? `${condition}-text` : ''}>{role}</span>
  );
}

function Database({ member }: Pick<JudgedMember, 'member'>) {
  if (member === undefined) return <>–</>;
  const { usedBytes, dbBytes } = member;
  const text = `${bytesText(usedBytes)} of ${bytesText(dbBytes)}`;
  return <Meter share={usedBytes / Math.max(1, dbBytes)} text={text} label="database in use" isPlain />;
}

function Alarms({ member }: Pick<JudgedMember, 'member'>) {
  const alarms = [...(member?.alarms ?? []), ...(member?.errors ?? [])];
  if (alarms.length === 0) return <span class="soft">{member === undefined ? '–' : 'none'}</span>;
  return <strong class="bad-text">{alarms.join(', ')}</strong>;
}
