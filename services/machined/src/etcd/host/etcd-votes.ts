import type { EtcdMember } from '@nodewright/etcd';
import type { VotingState } from '@nodewright/etcd/quorum';
import type { EtcdAccess } from './etcd-access.ts';

/** A healthy member answers within milliseconds. */
const timeoutMs = 2000;
/** How many addresses of control planes are asked for members that do not answer at their own. */
const maxEndpoints = 64;

/** A member that answers, and whether it sees a leader. */
interface Answer {
  readonly memberId: bigint;
  readonly hasLeader: boolean;
}

/**
 * Requests the status of each member. A member that sees no leader while others see one is cut off from them,
 * and does not count as alive. If no member sees a leader, every member that answers counts, because they may
 * elect one.
 *
 * A member keeps the client URLs that it started with, and its address may have changed since. So members that do not answer there are
 * looked for at the addresses that this node knows of control planes, and recognized by their ids.
 */
export async function votingStates(
  access: Pick<EtcdAccess, 'openAt' | 'own' | 'others'>,
  members: readonly EtcdMember[],
  signal: AbortSignal,
): Promise<VotingState[]> {
  const told = [...new Set(members.flatMap(({ clientUrls }) => clientUrls.map((url) => new URL(url).host)))];
  const hasLeader = await askAll(access, told, signal);
  if (members.some(({ id }) => !hasLeader.has(id))) {
    const known = [...(await access.own()), ...(await access.others())];
    const other = [...new Set(known)].filter((endpoint) => !told.includes(endpoint));
    for (const [id, answer] of await askAll(access, other.slice(0, maxEndpoints), signal))
      hasLeader.set(id, answer);
  }
  const isLed = members.some(({ id }) => hasLeader.get(id));
  return members.map(({ id, name, isLearner }) => {
    const answer = hasLeader.get(id);
    // A new learner may not know the leader yet.
    const isAlive = answer !== undefined && (answer || !isLed || isLearner);
    return { id, name, isLearner, isAlive };
  });
}

/** Asks all endpoints at once. The members that answer, by their ids, with whether they see a leader. */
async function askAll(
  access: Pick<EtcdAccess, 'openAt'>,
  endpoints: readonly string[],
  signal: AbortSignal,
): Promise<Map<bigint, boolean>> {
  const answers = await Promise.all(endpoints.map((endpoint) => ask(access, endpoint, signal)));
  return new Map(
    answers.flatMap((answer) => (answer === undefined ? [] : [[answer.memberId, answer.hasLeader] as const])),
  );
}

async function ask(
  { openAt }: Pick<EtcdAccess, 'openAt'>,
  endpoint: string,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  try {
    await using client = await openAt([endpoint]);
    const { memberId, leader } = await client.status({ timeoutMs, signal });
    return { memberId, hasLeader: leader !== 0n };
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
