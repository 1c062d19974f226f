import { pauseBy, type Timers } from '@nodewright/async';
import type { EtcdClient, EtcdMember, EtcdStatus } from '@nodewright/etcd';
import { Fault } from '@nodewright/fault';
import type { EtcdAccess } from '../host/etcd-access.ts';
import { votingStates } from '../host/etcd-votes.ts';

/** etcd looks once per heartbeat, which is 100 ms, whether the leadership has moved. */
const pollMs = 100;

/**
 * Hands the leadership of etcd to another voter that is alive. Yields its name; nothing where this node does not lead.
 * Source: Talos v1.14: EtcdForfeitLeadership.
 *
 * @throws Fault `unknown` where there is nobody to hand it to
 */
export async function forfeitLeadership(
  access: Pick<EtcdAccess, 'openLocal' | 'openAt'>,
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
    throw new Fault('unknown', `there is nobody to hand the leadership of etcd to: ${why}`);
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
 * Ends with etcd's own answer, or with the status that shows that the leadership has moved. etcd's answer alone does not
 * do: it waits until it sees the new leader lead, and misses one that hands the leadership back at once, which happens
 * where all control planes are asked together. The term shows it, because each leader has a term of its own.
 */
async function moveLeader(client: EtcdClient, move: Move): Promise<EtcdStatus | undefined> {
  const ended = new AbortController();
  const signal = AbortSignal.any([move.signal, ended.signal]);
  const answered = client.moveLeader(move.next.id, { signal }).then(() => undefined);
  const seen = watchMove(client, { ...move, signal });
  try {
    return await Promise.race([answered, seen]);
  } catch (error) {
    // It has moved by itself before, or took longer than etcd waits.
    const status = await client.status({ signal }).catch(() => undefined);
    if (status !== undefined && hasMoved(move.before, status)) return status;
    throw error;
  } finally {
    ended.abort();
    await Promise.allSettled([answered, seen]);
  }
}

/** Yields the first status in which the leadership has moved. A status that cannot be read is read again. */
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
