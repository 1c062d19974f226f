import { pauseBy, type Timers } from '@nodewright/async';
import type { EtcdMember, EtcdReason } from '@nodewright/etcd';
import { Fault, faultFrom } from '@nodewright/fault';
import { pointerTo, type State } from '@nodewright/state';
import { etcdMembers, etcdSpecs } from '@nodewright/state/kinds';
import type { Logger } from '@nodewright/telemetry';
import { specOf } from '../../base/resources/spec-of.ts';
import { isAtOwnUrls, isOwnMember } from '../domain/join-plan.ts';
import type { EtcdAccess } from '../host/etcd-access.ts';
import { votingStates } from '../host/etcd-votes.ts';
import { ownMemberOf } from './etcd-launch.ts';
import { removeEtcdMember } from './remove-etcd-member.ts';

/** The part of the service that a leave needs. */
export interface LeavingService {
  /** The member that the data belong to: its id, `none` without data, `unknown` when the data do not say it. */
  storedId(): Promise<bigint | 'none' | 'unknown'>;
  /** Stops etcd and removes its data, but not the data folder. */
  wipe(): Promise<void>;
}

export interface LeaveEtcdInit {
  readonly access: EtcdAccess;
  readonly state: State;
  readonly service: LeavingService;
  /** Returns the host name of this node, for one that has no settings of etcd. */
  readonly hostname: () => string;
  readonly timers: Timers;
  readonly log: Logger;
}

/**
 * Source: Talos v1.14: etcd leave, times. Talos pauses for 10 s after a refusal; what is waited for takes a few seconds at most, and is
 * the rule when a member has just been started or has left.
 */
const times = { memberMs: 180_000, memberPollMs: 1000, removalMs: 300_000, removalPauseMs: 1000 } as const;

const local = pointerTo(etcdMembers);
/**
 * Failures that pass without intervention, and what ends them. etcd counts a member as healthy only when it has been connected for five
 * seconds without a break, and keeps a quorum of healthy members. Source: etcd, strict checks of reconfigurations.
 */
const transientReasons: Partial<Record<EtcdReason, string>> = {
  'unhealthy-cluster': 'members that have been connected to each other for 5 s',
  stopped: 'a member that answers',
  'leader-changed': 'a new leader of etcd',
  'no-leader': 'a new leader of etcd',
};

/**
 * Removes this node from etcd permanently: removes the member, stops etcd and deletes its data. It completes
 * an interrupted leave: a node that is no longer a member only has its data deleted.
 *
 * @throws Fault `failed-precondition` with the reason when the cluster needs this node's vote, or when the member
 * that its data belong to is unknown; then nothing was changed
 */
export async function leaveEtcd(init: LeaveEtcdInit, signal: AbortSignal): Promise<void> {
  const id = await ownMemberId(init, signal);
  if (id !== undefined) await removeSelf(init, id, signal);
  await init.service.wipe();
}

/**
 * Removes the member that this node was before it lost the data of etcd: that they are missing does not mean that it has left. It
 * is known by its peer URLs: another node may have the same name, and be silent for a moment. One that answers at them is another node, too.
 * Does nothing when no other member answers.
 *
 * @throws Fault as `leaveEtcd()` does
 */
export async function removeLostMember(
  init: Omit<LeaveEtcdInit, 'service'>,
  signal: AbortSignal,
): Promise<void> {
  const lost = await memberFromOthers(init, signal, isAtOwnUrls);
  if (lost === undefined || lost === 'unknown') return;
  const [state] = await votingStates(init.access, [lost], signal);
  if (!state?.isAlive) await removeSelf(init, lost.id, signal);
}

/** The member id of this node; `undefined` when it has no data and the cluster no member with its name or peer URLs. */
async function ownMemberId(init: LeaveEtcdInit, signal: AbortSignal): Promise<bigint | undefined> {
  const { state, timers } = init;
  const end = timers.monotonicMs() + times.memberMs;
  for (;;) {
    const own = await specOf(state, local);
    if (own !== undefined) return BigInt(`0x${own.memberID}`);
    const stored = await init.service.storedId();
    if (typeof stored === 'bigint') return stored;
    const known = await memberFromOthers(init, signal);
    if (known === undefined && stored === 'unknown') throw unidentified();
    if (known !== 'unknown') return known?.id;
    if (timers.monotonicMs() >= end)
      throw new Fault(
        'deadline-exceeded',
        'the etcd member id of this node is unknown: neither its etcd nor another member answers',
      );
    await pauseBy(timers, times.memberPollMs, signal);
    signal.throwIfAborted();
  }
}

/** A missing name is not a missing member: it may have the name that the node had before. */
const unidentified = () =>
  new Fault(
    'failed-precondition',
    'this node has data of etcd, but which member they belong to is unknown: start its etcd, or remove the member through another' +
      ' node (talosctl etcd remove-member) and reset this one with --graceful=false',
  );

/**
 * The member with this node's name or peer URLs, as the other members report it. `undefined` when they
 * have no such member, `'unknown'` when nobody answers.
 */
async function memberFromOthers(
  { access, hostname, state }: Omit<LeaveEtcdInit, 'service'>,
  signal: AbortSignal,
  isOwn = isOwnMember,
): Promise<EtcdMember | undefined | 'unknown'> {
  const others = await access.others();
  if (others.length === 0) return 'unknown';
  try {
    await using client = await access.openAt(others);
    const members = await client.members({ linearizable: true, timeoutMs: 5000, signal });
    const spec = await specOf(state, pointerTo(etcdSpecs));
    const self = spec === undefined ? { name: hostname(), peerUrls: [] } : ownMemberOf(spec);
    return members.find((member) => isOwn(member, self));
  } catch {
    signal.throwIfAborted();
    return 'unknown';
  }
}

async function removeSelf(
  { access, timers, log }: Pick<LeaveEtcdInit, 'access' | 'timers' | 'log'>,
  id: bigint,
  signal: AbortSignal,
): Promise<void> {
  const { etcdReasonOf } = await import('@nodewright/etcd');
  // The member is gone, so the leave must go on. A reset frees the names by the id of the node, and a control plane that connects by that
  // of the member.
  const onNamesKept = ({ message }: Fault) =>
    log.warn({ error: message }, 'the names of this node are not free yet');
  const end = timers.monotonicMs() + times.removalMs;
  const waitedFor = new Set<string>();
  for (;;) {
    try {
      return await removeEtcdMember(access, id, signal, onNamesKept);
    } catch (error) {
      signal.throwIfAborted();
      const { kind, message } = faultFrom(error);
      // A retry gets this error when the first removal succeeded but its response was lost.
      if (kind === 'not-found') return;
      const reason = etcdReasonOf(error);
      const isUnreachable = reason === undefined && kind === 'unavailable';
      const waitsFor = isUnreachable ? transientReasons.stopped : reason && transientReasons[reason];
      if (waitsFor === undefined || timers.monotonicMs() + times.removalPauseMs >= end) throw error;
      if (!waitedFor.has(waitsFor))
        log.info(
          { waitsFor, error: message },
          'etcd does not remove this member yet, repeating it every second',
        );
      waitedFor.add(waitsFor);
      await pauseBy(timers, times.removalPauseMs, signal);
    }
  }
}
