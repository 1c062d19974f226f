import type { EtcdMember } from '../../protocol/messages.ts';
import type { Condition, Statement } from './condition.ts';
import { type JudgedNode, some } from './judge-nodes.ts';
import type { Snapshot } from './snapshot.ts';

export interface JudgedMember {
  readonly node: string;
  /** Undefined while the node is away, or its member does not answer or was not asked yet. */
  readonly member: EtcdMember | undefined;
  /** `leader`, `follower`, `learner`, `away`, `restarts`, `no answer` or `not known`. */
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
  /** What the members say together; undefined where no node has one. Nodes that are away are in another statement. */
  readonly statement: Statement | undefined;
}

/** The members of etcd. What a node said before it went away is left out. */
export function judgeEtcd({ summaries }: Snapshot, nodes: readonly JudgedNode[]): JudgedEtcd {
  const members = nodes
    .filter(({ name }) => summaries.get(name)?.services.includes('etcd'))
    .map((node): JudgedMember => {
      const { etcd, isEtcdSilent } = summaries.get(node.name) ?? {};
      const member = node.isOld ? undefined : etcd;
      return { node: node.name, member, ...roleOf(node, member, isEtcdSilent === true) };
    });
  const known = members.flatMap(({ member }) => member ?? []);
  return {
    members,
    leader: members.find(({ role }) => role === 'leader')?.node,
    term: Math.max(0, ...known.map(({ term }) => term)),
    raftIndex: Math.max(0, ...known.map(({ raftIndex }) => raftIndex)),
    statement: members.length === 0 ? undefined : etcdStatement(members),
  };
}

/** The worst of what members that can be asked say. */
function etcdStatement(members: readonly JudgedMember[]): Statement {
  const namesOf = (wanted: string) => members.filter(({ role }) => role === wanted).map(({ node }) => node);
  const complaints = members.flatMap(({ node, member }) =>
    [...(member?.alarms ?? []), ...(member?.errors ?? [])].map((reason) => `${reason} on ${node}`),
  );
  const [silent, unasked] = [namesOf('no answer'), namesOf('not known')];
  const say = (value: string, condition: Condition): Statement => ({
    value,
    note: `etcd: ${value}`,
    condition,
  });
  if (complaints.length > 0) return say(some(complaints), 'bad');
  if (silent.length > 0) return say(`no answer from ${some(silent)}`, 'warning');
  return unasked.length > 0 ? say('not known yet', 'unknown') : say('all members answer', 'good');
}

function roleOf(
  node: JudgedNode,
  member: EtcdMember | undefined,
  isSilent: boolean,
): Pick<JudgedMember, 'role' | 'condition'> {
  if (node.condition === 'bad') return { role: 'away', condition: 'bad' };
  if (node.isExpected) return { role: 'restarts', condition: 'warning' };
  if (node.isOld) return { role: 'not known', condition: 'unknown' };
  // One late answer of a busy machine does not mean that a member has failed.
  if (isSilent) return { role: 'no answer', condition: 'warning' };
  if (member === undefined) return { role: 'not known', condition: 'unknown' };
  const condition = member.alarms.length + member.errors.length > 0 ? 'bad' : 'good';
  const role = member.id === member.leader ? 'leader' : member.isLearner ? 'learner' : 'follower';
  return { role, condition };
}
