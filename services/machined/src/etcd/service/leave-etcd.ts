import { pauseBy, type Timers } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import { pointerTo, type State } from '@nodewright/state';
import { etcdMembers } from '@nodewright/state/kinds';
import { specOf } from '../../base/resources/spec-of.ts';
import type { EtcdAccess } from '../host/etcd-access.ts';
import { removeEtcdMember } from './remove-etcd-member.ts';

/** The part of the service that a leave needs. */
export interface LeavingService {
  /** Stops etcd and removes its data, but not the data folder. */
  wipe(): Promise<void>;
}

export interface LeaveEtcdInit {
  readonly access: EtcdAccess;
  readonly state: State;
  readonly service: LeavingService;
  /** Returns the member name of this node. */
  readonly hostname: () => string;
  readonly timers: Timers;
}

/** Source: Talos v1.14: etcd leave, times. */
const times = { memberMs: 180_000, memberPollMs: 1000, removalMs: 300_000, removalPauseMs: 10_000 } as const;

const local = pointerTo(etcdMembers);
/** Failures that pass without intervention: members that reconnect, a leader that is being elected. */
const transientReasons = new Set(['unhealthy-cluster', 'stopped', 'leader-changed', 'no-leader']);

/**
 * Removes this node from etcd permanently: removes the member, stops etcd and deletes its data. It completes
 * an interrupted leave: a node that is no longer a member only has its data deleted.
 *
 * @throws Fault `failed-precondition` with the reason when the cluster needs this node's vote; then nothing
 * was changed
 */
export async function leaveEtcd(init: LeaveEtcdInit, signal: AbortSignal): Promise<void> {
  const id = await ownMemberId(init, signal);
  if (id !== undefined) await removeSelf(init, id, signal);
  await init.service.wipe();
}

/** The member id of this node; `undefined` when the cluster has no member with its name. */
async function ownMemberId(init: LeaveEtcdInit, signal: AbortSignal): Promise<bigint | undefined> {
  const { state, timers } = init;
  const end = timers.monotonicMs() + times.memberMs;
  for (;;) {
    const own = await specOf(state, local);
    if (own !== undefined) return BigInt(`0x${own.memberID}`);
    const known = await idFromOthers(init, signal);
    if (known !== 'unknown') return known;
    if (timers.monotonicMs() >= end)
      throw new Fault(
        'deadline-exceeded',
        'the etcd member id of this node is unknown: neither its etcd nor another member answers',
      );
    await pauseBy(timers, times.memberPollMs, signal);
    signal.throwIfAborted();
  }
}

/**
 * The id of the member with this node's name, as the other members report it. `undefined` when there is none,
 * `'unknown'` when no member answers.
 */
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
  const end = timers.monotonicMs() + times.removalMs;
  for (;;) {
    try {
      return await removeEtcdMember(access, id, signal);
    } catch (error) {
      signal.throwIfAborted();
      const { kind } = faultFrom(error);
      // A retry gets this error when the first removal succeeded but its response was lost.
      if (kind === 'not-found') return;
      const reason = etcdReasonOf(error);
      const isTransient = reason !== undefined ? transientReasons.has(reason) : kind === 'unavailable';
      if (!isTransient || timers.monotonicMs() + times.removalPauseMs >= end) throw error;
      await pauseBy(timers, times.removalPauseMs, signal);
    }
  }
}
