import type { NodeClient, TalosClient } from '@nodewright/client';
import { nodeNameInLine } from '@nodewright/client/node-name';
import type { EtcdMember } from '@nodewright/contract/gen/machine/machine.ts';
import { faultFrom } from '@nodewright/fault';
import { onlyMessage } from '../only-message.ts';

/** How long a node may take to say who is in etcd before it counts as one that could not be asked, in milliseconds. */
const answerTimeoutMs = 5000;

type Member = Pick<EtcdMember, 'id' | 'isLearner'>;

/** What the nodes of a verb say about etcd. */
export interface EtcdAnswers {
  /** Undefined when no node knows them. */
  readonly members: readonly Member[] | undefined;
  /** The members that run on nodes of the verb. */
  readonly leaving: ReadonlySet<bigint>;
  /** Names of the nodes that could not be asked. Each counts as a voter: nothing worse can be true. */
  readonly silent: readonly string[];
}

/** What a verb does to etcd. */
export interface EtcdEffect {
  /** In words, a line each; none when no voter goes. */
  readonly lines: readonly string[];
  /** Whether a vote goes, or may go. */
  readonly losesVote: boolean;
}

/** Asks the nodes of a verb, all at once, which members of etcd they run. A node that fails to answer is `silent`. */
export async function askEtcd(client: TalosClient, signal: AbortSignal): Promise<EtcdAnswers> {
  const attempt = AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]);
  const answers = await Promise.all(
    client.targets.map(async (node) => ({ name: node.name, ...(await askNode(node, attempt)) })),
  );
  return {
    members: answers.find(({ members }) => members !== undefined)?.members,
    leaving: new Set(answers.flatMap(({ own }) => own ?? [])),
    silent: answers.filter(({ isSilent }) => isSilent).map(({ name }) => nodeNameInLine(name)),
  };
}

interface NodeAnswer {
  readonly members?: readonly Member[];
  readonly own?: bigint;
  readonly isSilent?: boolean;
}

async function askNode({ machine }: NodeClient, signal: AbortSignal): Promise<NodeAnswer> {
  try {
    const [list, status] = await Promise.all([
      machine.etcdMemberList({ queryLocal: true }, { signal }),
      machine.etcdStatus({}, { signal }),
    ]);
    const { members } = onlyMessage(list);
    const own = onlyMessage(status).memberStatus?.memberId;
    return own === undefined ? { members, isSilent: true } : { members, own };
  } catch (error) {
    const { kind } = faultFrom(error);
    // A worker says that it has no etcd in one of these ways. Everything else is no answer.
    return { isSilent: kind !== 'failed-precondition' && kind !== 'unimplemented' };
  }
}

/**
 * What it means for etcd that nodes go away.
 *
 * @param leaves whether they take their members out of etcd first, so that the others need fewer votes
 */
export function effectOnEtcd({ members, leaving, silent }: EtcdAnswers, leaves: boolean): EtcdEffect {
  const unknown =
    silent.length === 0
      ? []
      : [
          `${silent.join(', ')} could not be asked: counted as ${silent.length === 1 ? 'an etcd voter' : 'etcd voters'}`,
        ];
  if (members === undefined) {
    const worst =
      silent.length === 0 ? [] : ['no voter of etcd may be left, and the data of the cluster go with it'];
    return { lines: [...unknown, ...worst], losesVote: silent.length > 0 };
  }
  const voters = votersText(members, leaving, leaves, silent.length);
  return { lines: [...unknown, ...(voters === undefined ? [] : [voters])], losesVote: voters !== undefined };
}

/**
 * In words, what is left of the voters; undefined when none goes.
 *
 * @param silent how many nodes count as voters because they could not be asked
 */
export function votersText(
  members: readonly Member[],
  leaving: ReadonlySet<bigint>,
  leaves: boolean,
  silent = 0,
): string | undefined {
  const voters = members.filter(({ isLearner }) => !isLearner);
  const known = voters.filter(({ id }) => leaving.has(id)).length;
  const gone = Math.min(voters.length, known + silent);
  if (gone === 0) return undefined;
  const stay = voters.length - gone;
  if (stay === 0) return gone === 1 ? '1 is the last etcd voter' : `${gone} are all the etcd voters`;
  const needed = Math.floor(voters.length / 2) + 1;
  const left = `${stay} of ${voters.length} stay${stay === 1 ? 's' : ''}`;
  const outcome = !leaves && stay < needed ? `, too few for etcd to work (it needs ${needed})` : '';
  return `${gone === 1 ? '1 is an etcd voter' : `${gone} are etcd voters`}, ${left}${outcome}`;
}
