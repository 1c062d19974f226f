import { systemTimers } from '@nodewright/async';
import { faultFrom } from '@nodewright/fault';
import { pointerTo, type State } from '@nodewright/state';
import { etcdMembers } from '@nodewright/state/kinds';
import { specOf } from '../../base/resources/spec-of.ts';
import { isEtcdDataEmpty } from '../host/data-folder.ts';
import { type LeaveEtcdInit, leaveEtcd, removeLostMember } from './leave-etcd.ts';
import type { NodeEtcd } from './node-etcd.ts';
import { assertRemovable } from './remove-etcd-member.ts';

/**
 * Returns the function that removes this node from etcd before its disk is wiped; `undefined` when it runs no
 * etcd. On a node without etcd data, which never joined, has already left or has lost them, it only removes a dead member that the
 * others still have for it.
 */
export function etcdLeave(
  { access, run }: NodeEtcd,
  {
    dataFolder,
    ...init
  }: Pick<LeaveEtcdInit, 'hostname' | 'log'> & {
    readonly state: State;
    readonly dataFolder: string;
  },
): ((signal: AbortSignal) => Promise<void>) | undefined {
  if (run === undefined || !run.service.isDeclared) return undefined;
  const { service } = run;
  return async (signal) => {
    const leaving = { ...init, access, timers: systemTimers };
    const isMember = (await specOf(init.state, pointerTo(etcdMembers))) !== undefined;
    if (!isMember && (await isEtcdDataEmpty(dataFolder))) await removeLostMember(leaving, signal);
    else await leaveEtcd({ ...leaving, service }, signal);
  };
}

/**
 * Checks whether the cluster can spare the vote of this node, before anything else of a reset is done. It does nothing on a node that
 * is no member, or whose id is not known: `etcdLeave()` handles these.
 *
 * @throws Fault `failed-precondition` with the reason when the cluster needs this vote
 */
export async function assertMayLeave(
  { access }: Pick<NodeEtcd, 'access'>,
  state: State,
  signal: AbortSignal,
): Promise<void> {
  const own = await specOf(state, pointerTo(etcdMembers));
  if (own === undefined) return;
  try {
    await assertRemovable(access, BigInt(`0x${own.memberID}`), signal);
  } catch (error) {
    if (faultFrom(error).kind === 'failed-precondition') throw error;
    signal.throwIfAborted();
  }
}
