import { systemTimers } from '@nodewright/async';
import type { State } from '@nodewright/state';
import { isEtcdDataEmpty } from '../host/data-folder.ts';
import { type LeaveEtcdInit, leaveEtcd } from './leave-etcd.ts';
import type { NodeEtcd } from './node-etcd.ts';

/**
 * Returns the function that removes this node from etcd before its disk is wiped; `undefined` when it runs no
 * etcd. The function does nothing on a node without etcd data, which never joined or has already left.
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
