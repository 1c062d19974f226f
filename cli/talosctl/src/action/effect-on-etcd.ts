import type { NodeClient, TalosClient } from '@nodewright/client';
import { nodeNameInLine } from '@nodewright/client/node-name';
import type { EtcdMember } from '@nodewright/contract/gen/machine/machine.ts';
import { faultFrom } from '@nodewright/fault';
import { onlyMessage } from '../only-message.ts';

/** Timeout of the etcd calls to a node, in milliseconds. A node that times out counts as unreachable. */
const answerTimeoutMs = 5000;

type Member = Pick<EtcdMember, 'id' | 'isLearner'>;

/** The etcd members of the cluster and of the targets of a command. */
export interface EtcdAnswers {
  /** `undefined` when no target has returned the list. */
  readonly members: readonly Member[] | undefined;
  /** The members that run on the targets. */
  readonly leaving: ReadonlySet<bigint>;
  /** Names of the targets that did not answer. Each counts as a voter, which is the worst case. */
  readonly unreachable: readonly string[];
}

/** The effect of a command on etcd. */
export interface EtcdEffect {
  /** Sentences for the user, one per line; empty when etcd loses no voter. */
  readonly lines: readonly string[];
  /** Whether etcd loses a voter, or may lose one. */
  readonly losesVote: boolean;
}

/** Queries all targets in parallel for the etcd members that they run. */
export async function queryEtcd(client: TalosClient, signal: AbortSignal): Promise<EtcdAnswers> {
  const attempt = AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]);
  const answers = await Promise.all(
    client.targets.map(async (node) => ({ name: node.name, ...(await queryNode(node, attempt)) })),
  );
  return {
    members: answers.find(({ members }) => members !== undefined)?.members,
    leaving: new Set(answers.flatMap(({ own }) => own ?? [])),
    unreachable: answers.filter(({ isUnreachable }) => isUnreachable).map(({ name }) => nodeNameInLine(name)),
  };
}

interface NodeAnswer {
  readonly members?: readonly Member[];
  readonly own?: bigint;
  readonly isUnreachable?: boolean;
}

async function queryNode({ machine }: NodeClient, signal: AbortSignal): Promise<NodeAnswer> {
  try {
    const [list, status] = await Promise.all([
      machine.etcdMemberList({ queryLocal: true }, { signal }),
      machine.etcdStatus({}, { signal }),
    ]);
    const { members } = onlyMessage(list);
    const own = onlyMessage(status).memberStatus?.memberId;
    return own === undefined ? { members, isUnreachable: true } : { members, own };
  } catch (error) {
    const { kind } = faultFrom(error);
    // A worker, which has no etcd, fails with one of these kinds. Any other failure leaves the question open.
    return { isUnreachable: kind !== 'failed-precondition' && kind !== 'unimplemented' };
  }
}

/**
 * The effect on etcd when the targets stop.
 *
 * @param leaves whether the targets remove their members from etcd first, which lowers the quorum
 */
export function effectOnEtcd({ members, leaving, unreachable }: EtcdAnswers, leaves: boolean): EtcdEffect {
  const unknown =
    unreachable.length === 0
      ? []
      : [
          `${unreachable.join(', ')} did not answer: counted as ${unreachable.length === 1 ? 'an etcd voter' : 'etcd voters'}`,
        ];
  if (members === undefined) {
    const worst =
      unreachable.length === 0
        ? []
        : ['this may take away every etcd voter, and with them the data of the cluster'];
    return { lines: [...unknown, ...worst], losesVote: unreachable.length > 0 };
  }
  const voters = votersText(members, leaving, leaves, unreachable.length);
  return { lines: [...unknown, ...(voters === undefined ? [] : [voters])], losesVote: voters !== undefined };
}

/**
 * Describes the lost and the remaining voters; `undefined` when etcd loses none.
 *
 * @param unreachable the number of nodes that count as voters because they did not answer
 */
export function votersText(
  members: readonly Member[],
  leaving: ReadonlySet<bigint>,
  leaves: boolean,
  unreachable = 0,
): string | undefined {
  const voters = members.filter(({ isLearner }) => !isLearner);
  const known = voters.filter(({ id }) => leaving.has(id)).length;
  const gone = Math.min(voters.length, known + unreachable);
  if (gone === 0) return undefined;
  const stay = voters.length - gone;
  if (stay === 0) return `this takes away ${gone === 1 ? 'the last etcd voter' : `all ${gone} etcd voters`}`;
  const needed = Math.floor(voters.length / 2) + 1;
  const left = `${stay} of ${voters.length} remain${stay === 1 ? 's' : ''}`;
  const outcome = !leaves && stay < needed ? `, too few for etcd to work (it needs ${needed})` : '';
  return `this takes away ${gone} etcd voter${gone === 1 ? '' : 's'}, ${left}${outcome}`;
}
