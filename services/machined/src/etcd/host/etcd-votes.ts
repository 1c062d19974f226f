import type { EtcdMember } from '@nodewright/etcd';
import type { VotingState } from '@nodewright/etcd/quorum';
import type { EtcdAccess } from './etcd-access.ts';

/** A healthy member answers within milliseconds. */
const timeoutMs = 2000;

type Answer = 'silent' | 'leaderless' | 'led';

/**
 * Requests the status of each member. A member that sees no leader while others see one is cut off from them,
 * and does not count as alive. If no member sees a leader, every member that answers counts, because they may
 * elect one.
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
    // A new learner may not know the leader yet.
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
