import type { EtcdMember } from '@nodewright/etcd';
import type { VotingState } from '../domain/quorum.ts';
import type { EtcdAccess } from './etcd-access.ts';

/** A member that is well answers within milliseconds. */
const timeoutMs = 2000;

type Answer = 'silent' | 'leaderless' | 'led';

/**
 * Asks each member whether it is there. One that sees no leader while others do is cut off from them, and does not count;
 * where nobody sees one, those that answer would agree on one if they were enough.
 */
export async function votingStates(
  { openAt }: Pick<EtcdAccess, 'openAt'>,
  members: readonly EtcdMember[],
  signal: AbortSignal,
): Promise<VotingState[]> {
  const answers = await Promise.all(members.map((member) => ask(openAt, member, signal)));
  const hasLeader = answers.includes('led');
  return members.map(({ id, name, isLearner }, index) => {
    const answer = answers[index] ?? 'silent';
    // A learner that has just come need not know the leader yet.
    const isAlive = answer !== 'silent' && (answer === 'led' || !hasLeader || isLearner);
    return { id, name, isLearner, isAlive };
  });
}

async function ask(
  openAt: EtcdAccess['openAt'],
  { id, clientUrls }: EtcdMember,
  signal: AbortSignal,
): Promise<Answer> {
  if (clientUrls.length === 0) return 'silent';
  try {
    await using client = await openAt(clientUrls.map((url) => new URL(url).host));
    const { memberId, leader } = await client.status({ timeoutMs, signal });
    if (memberId !== id) return 'silent';
    return leader === 0n ? 'leaderless' : 'led';
  } catch {
    signal.throwIfAborted();
    return 'silent';
  }
}
