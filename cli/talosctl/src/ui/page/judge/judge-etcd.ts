import type { EtcdMember } from '../../protocol/messages.ts';
import type { Condition } from './condition.ts';
import type { JudgedNode } from './judge-nodes.ts';
import type { Snapshot } from './snapshot.ts';

export interface JudgedMember {
  readonly node: string;
  /** Undefined while the node is away or its member does not answer. */
  readonly member: EtcdMember | undefined;
  /** `leader`, `follower`, `learner`, `away` or `no answer`. */
  readonly role: string;
  readonly condition: Condition;
}

export interface JudgedEtcd {
  /** The nodes that run etcd, or should. */
  readonly members: readonly JudgedMember[];
  /** The node whose member leads; undefined when no member that answers does. */
  readonly leader: string | undefined;
  readonly term: number;
  /** Of the member that is the furthest. */
  readonly raftIndex: number;
}

/** The members of etcd. What a node said before it went away is left out. */
export function judgeEtcd({ summaries }: Snapshot, nodes: readonly JudgedNode[]): JudgedEtcd {
  const members = nodes
    .filter(({ name }) => summaries.get(name)?.services.includes('etcd'))
    .map((node): JudgedMember => {
      const member = node.isOld ? undefined : summaries.get(node.name)?.etcd;
      return { node: node.name, member, ...roleOf(node, member) };
    });
  const known = members.flatMap(({ member }) => member ?? []);
  return {
    members,
    leader: members.find(({ role }) => role === 'leader')?.node,
    term: Math.max(0, ...known.map(({ term }) => term)),
    raftIndex: Math.max(0, ...known.map(({ raftIndex }) => raftIndex)),
  };
}

function roleOf(node: JudgedNode, member: EtcdMember | undefined): Pick<JudgedMember, 'role' | 'condition'> {
  if (node.condition === 'bad') return { role: 'away', condition: 'bad' };
  if (node.isOld) return { role: 'not known', condition: 'unknown' };
  if (member === undefined) return { role: 'no answer', condition: 'bad' };
  const condition = member.alarms.length + member.errors.length > 0 ? 'bad' : 'good';
  const role = member.id === member.leader ? 'leader' : member.isLearner ? 'learner' : 'follower';
  return { role, condition };
}
