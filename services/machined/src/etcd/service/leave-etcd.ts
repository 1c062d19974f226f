import { pauseBy, type Timers } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import { pointerTo, type State } from '@nodewright/state';
import { etcdMembers } from '@nodewright/state/kinds';
import { specOf } from '../../base/resources/spec-of.ts';
import type { EtcdAccess } from '../host/etcd-access.ts';
import { removeEtcdMember } from './remove-etcd-member.ts';

/** The service as far as leaving goes. */
export interface LeavingService {
  /** Stops it and removes its data, and not the folder. */
  wipe(): Promise<void>;
}

export interface LeaveEtcdInit {
  readonly access: EtcdAccess;
  readonly state: State;
  readonly service: LeavingService;
  /** The name of this node as a member. */
  readonly hostname: () => string;
  readonly timers: Timers;
}

/** Source: Talos v1.14: etcd leave, times. */
const times = { memberMs: 180_000, memberPollMs: 1000, removalMs: 300_000, removalPauseMs: 10_000 } as const;

const local = pointerTo(etcdMembers);
/** What passes by itself: members that come back, a leader that is being chosen. */
const passing = new Set(['unhealthy-cluster', 'stopped', 'leader-changed', 'no-leader']);

/**
 * Takes this node out of etcd for good: it is removed by the others, its etcd is stopped, its data are deleted. What an
 * earlier call has begun and not finished is finished: a node that is no member any more has its data deleted.
 *
 * @throws Fault `failed-precondition` with the reason where the others could not go on without it; nothing was done
 */
export async function leaveEtcd(init: LeaveEtcdInit, signal: AbortSignal): Promise<void> {
  const id = await ownMemberId(init, signal);
  if (id !== undefined) await removeSelf(init, id, signal);
  await init.service.wipe();
}

/** Undefined: the others know no member of this node's name. */
async function ownMemberId(init: LeaveEtcdInit, signal: AbortSignal): Promise<bigint | undefined> {
  const { state, timers } = init;
  const end = timers.now() + times.memberMs;
  for (;;) {
    const own = await specOf(state, local);
    if (own !== undefined) return BigInt(`0x${own.memberID}`);
    const known = await idFromOthers(init, signal);
    if (known !== 'unknown') return known;
    if (timers.now() >= end)
      throw new Fault(
        'deadline-exceeded',
        'etcd of this node did not tell its member id, and no other member answers',
      );
    await pauseBy(timers, times.memberPollMs, signal);
    signal.throwIfAborted();
  }
}

/** What the other members say: the id of the member with this node's name, none, or nobody answers. */
async function idFromOthers(
  { access, hostname }: LeaveEtcdInit,
  signal: AbortSignal,
): Promise<bigint | undefined | 'unknown'> {
  const others = await access.others();
  if (others.length === 0) return 'unknown';
  try {
    await using client = await access.openAt(others);
    const members = await client.members({ linearizable: true, timeoutMs: 5000, signal });
    return members.find(({ name }) => name === hostname())?.id;
  } catch {
    signal.throwIfAborted();
    return 'unknown';
  }
}

async function removeSelf({ access, timers }: LeaveEtcdInit, id: bigint, signal: AbortSignal): Promise<void> {
  const { etcdReasonOf } = await import('@nodewright/etcd');
  const end = timers.now() + times.removalMs;
  for (;;) {
    try {
      return await removeEtcdMember(access, id, signal);
    } catch (error) {
      signal.throwIfAborted();
      const { kind } = faultFrom(error);
      // Also the answer to a second try, where the first one was done and its answer lost.
      if (kind === 'not-found') return;
      const reason = etcdReasonOf(error);
      const isPassing = reason !== undefined ? passing.has(reason) : kind === 'unavailable';
      if (!isPassing || timers.now() + times.removalPauseMs >= end) throw error;
      await pauseBy(timers, times.removalPauseMs, signal);
    }
  }
}
