import type { TalosClient } from '@nodewright/client';
import type { EtcdMember } from '@nodewright/contract/gen/machine/machine.ts';
import { onlyMessage } from '../only-message.ts';

/** How long a node may take to say who is in etcd before the question is asked without it. */
const answerTimeoutMs = 5000;

/**
 * What it means for etcd that these nodes go away; undefined where that cannot be known: no etcd runs, or nobody answers.
 *
 * @param leaves whether they take their members out of etcd first, so that the others need fewer votes
 */
export async function effectOnEtcd(
  client: TalosClient,
  leaves: boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  const attempt = AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]);
  const asked = client.targets.map(async ({ machine }) => {
    const [list, status] = await Promise.all([
      machine.etcdMemberList({ queryLocal: true }, { signal: attempt }),
      machine.etcdStatus({}, { signal: attempt }),
    ]);
    return { members: onlyMessage(list).members, own: onlyMessage(status).memberStatus?.memberId };
  });
  const answers = (await Promise.allSettled(asked)).flatMap((outcome) =>
    outcome.status === 'fulfilled' ? [outcome.value] : [],
  );
  const members = answers[0]?.members;
  if (members === undefined) return undefined;
  return votersText(members, new Set(answers.flatMap(({ own }) => own ?? [])), leaves);
}

/** In words, what is left of the voters; undefined when none goes. */
export function votersText(
  members: readonly Pick<EtcdMember, 'id' | 'isLearner'>[],
  leaving: ReadonlySet<bigint>,
  leaves: boolean,
): string | undefined {
  const voters = members.filter(({ isLearner }) => !isLearner);
  const gone = voters.filter(({ id }) => leaving.has(id)).length;
  if (gone === 0) return undefined;
  const stay = voters.length - gone;
  if (stay === 0) return gone === 1 ? '1 is the last etcd voter' : `${gone} are all the etcd voters`;
  const needed = Math.floor(voters.length / 2) + 1;
  const left = `${stay} of ${voters.length} stay${stay === 1 ? 's' : ''}`;
  const outcome = !leaves && stay < needed ? `, too few for etcd to work (it needs ${needed})` : '';
  return `${gone === 1 ? '1 is an etcd voter' : `${gone} are etcd voters`}, ${left}${outcome}`;
}
