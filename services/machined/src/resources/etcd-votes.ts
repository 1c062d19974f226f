import type { EtcdMember } from '@nodewright/etcd';
import type { VotingState } from '../domain/etcd/quorum.ts';
import type { EtcdAccess } from './etcd-access.ts';

/** A member that is well answers within milliseconds. */
const timeoutMs = 2000;

/** Asks each member whether it is there and sees a leader. */
export function votingStates(
  { openAt }: Pick<EtcdAccess, 'openAt'>,
  members: readonly EtcdMember[],
  signal: AbortSignal,
): Promise<VotingState[]> {
  const isAlive = async ({ id, clientUrls }: EtcdMember) => {
    if (clientUrls.length === 0) return false;
    try {
      await using client = await openAt(clientUrls.map((url) => new URL(url).host));
      const { memberId, leader, isLearner } = await client.status({ timeoutMs, signal });
      // A learner that has just come need not know the leader yet.
      return memberId === id && (leader !== 0n || isLearner);
    } catch {
      signal.throwIfAborted();
      return false;
    }
  };
  return Promise.all(
    members.map(async (member) => ({
      id: member.id,
      name: member.name,
      isLearner: member.isLearner,
      isAlive: await isAlive(member),
    })),
  );
}
