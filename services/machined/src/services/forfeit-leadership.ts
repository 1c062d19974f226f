import { Fault } from '@nodewright/fault';
import type { EtcdAccess } from '../resources/etcd-access.ts';
import { votingStates } from '../resources/etcd-votes.ts';

/**
 * Hands the leadership of etcd to another voter that is alive. Yields its name; nothing where this node does not lead.
 * Source: Talos v1.14: EtcdForfeitLeadership.
 *
 * @throws Fault `unknown` where there is nobody to hand it to
 */
export async function forfeitLeadership(
  access: Pick<EtcdAccess, 'openLocal' | 'openAt'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  await using client = await access.openLocal();
  const { memberId, leader } = await client.status({ signal });
  if (leader !== memberId) return undefined;
  const members = await client.members({ signal });
  const states = await votingStates(
    access,
    members.filter(({ id }) => id !== memberId),
    signal,
  );
  const next = states.find(({ isAlive, isLearner }) => isAlive && !isLearner);
  if (next === undefined) {
    const why = states.length === 0 ? 'this is the only member' : 'no other voter is alive';
    throw new Fault('unknown', `there is nobody to hand the leadership of etcd to: ${why}`);
  }
  await client.moveLeader(next.id, { signal });
  return next.name;
}
