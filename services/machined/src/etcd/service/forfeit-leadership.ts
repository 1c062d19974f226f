import { pauseBy, type Timers } from '@nodewright/async';
import type { EtcdClient, EtcdMember, EtcdStatus } from '@nodewright/etcd';
import { Fault } from '@nodewright/fault';
import type { EtcdAccess } from '../host/etcd-access.ts';
import { votingStates } from '../host/etcd-votes.ts';

/** The heartbeat interval of etcd, at which it checks whether the leadership has moved. */
const pollMs = 100;

/**
 * Transfers the leadership of etcd to another live voter. Resolves to its name, or `undefined` when this node
 * is not the leader. Source: Talos v1.14: EtcdForfeitLeadership.
 *
 * @throws Fault `unknown` when no other voter is alive
 */
export async function forfeitLeadership(
  access: Pick<EtcdAccess, 'openLocal' | 'openAt' | 'own' | 'others'>,
  timers: Timers,
  signal: AbortSignal,
): Promise<string | undefined> {
  await using client = await access.openLocal();
  const before = await client.status({ signal });
  const { memberId, leader } = before;
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
    throw new Fault('unknown', `cannot transfer the leadership of etcd: ${why}`);
  }
  const after = await moveLeader(client, { before, next, timers, signal });
  const other = members.find(({ id }) => id === after?.leader && id !== memberId);
  return (other ?? next).name;
}

interface Move {
  readonly before: EtcdStatus;
  readonly next: Pick<EtcdMember, 'id'>;
  readonly timers: Timers;
  readonly signal: AbortSignal;
}

/**
 * Settles with etcd's response, or with the first status that shows a move. The response alone is not enough:
 * etcd waits until it sees the new leader. It misses a leader that returns the leadership at once, as happens
 * when all control planes are called together. The Raft term shows the move, because it grows with each
 * election.
 */
async function moveLeader(client: EtcdClient, move: Move): Promise<EtcdStatus | undefined> {
  const ended = new AbortController();
  const signal = AbortSignal.any([move.signal, ended.signal]);
  const answered = client.moveLeader(move.next.id, { signal }).then(() => undefined);
  const seen = watchMove(client, { ...move, signal });
  try {
    return await Promise.race([answered, seen]);
  } catch (error) {
    // The leadership may have moved before the call, or after etcd timed out.
    const status = await client.status({ signal }).catch(() => undefined);
    if (status !== undefined && hasMoved(move.before, status)) return status;
    throw error;
  } finally {
    ended.abort();
    await Promise.allSettled([answered, seen]);
  }
}

/** Polls until the leadership has moved, and returns that status. Failed polls are retried. */
async function watchMove(client: EtcdClient, { before, timers, signal }: Move): Promise<EtcdStatus> {
  for (;;) {
    await pauseBy(timers, pollMs, signal);
    signal.throwIfAborted();
    const status = await client.status({ signal }).catch(() => undefined);
    if (status !== undefined && hasMoved(before, status)) return status;
  }
}

function hasMoved(before: EtcdStatus, { raftTerm, leader }: EtcdStatus): boolean {
  return raftTerm > before.raftTerm && leader !== 0n;
}
