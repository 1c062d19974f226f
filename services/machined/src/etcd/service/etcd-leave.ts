import { systemTimers } from '@nodewright/async';
import type { State } from '@nodewright/state';
import { isEtcdDataEmpty } from '../host/data-folder.ts';
import { type LeaveEtcdInit, leaveEtcd } from './leave-etcd.ts';
import type { NodeEtcd } from './node-etcd.ts';

/**
 * How this node leaves etcd before it is wiped; undefined where it has none. A node that never joined, or has nothing of
 * etcd any more, has nothing to leave with, and nobody to wait for.
 */
export function etcdLeave(
  { access, run }: NodeEtcd,
  {
    dataFolder,
    ...init
  }: Pick<LeaveEtcdInit, 'hostname'> & {
    readonly state: State;
    readonly dataFolder: string;
  },
): ((signal: AbortSignal) => Promise<void>) | undefined {
  if (run === undefined || !run.service.isDeclared) return undefined;
  const { service } = run;
  return async (signal) => {
    if (await isEtcdDataEmpty(dataFolder)) return;
    await leaveEtcd({ ...init, access, service, timers: systemTimers }, signal);
  };
}
