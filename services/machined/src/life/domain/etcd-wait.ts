import { serviceIds } from '@nodewright/contract';
import { hasFailed, type ServiceRecord } from '@nodewright/services/domain';
import type { DiagnosticSpec } from '@nodewright/state/kinds';

const pendingStates: readonly ServiceRecord['state'][] = ['Starting', 'Waiting', 'Preparing'];

/** Whether etcd was started but is not running yet. False after etcd was stopped. */
export function isEtcdPending(records: readonly ServiceRecord[]): boolean {
  const etcd = records.find(({ id }) => id === serviceIds.etcd);
  return etcd !== undefined && (pendingStates.includes(etcd.state) || hasFailed(etcd));
}

/** Why a pending etcd does not run, from its history. Undefined while it makes progress itself. */
export function etcdWaitProblem(records: readonly ServiceRecord[]): DiagnosticSpec | undefined {
  const last = records.find(({ id }) => id === serviceIds.etcd)?.history.at(-1);
  if (last === undefined) return undefined;
  const { state, message } = last;
  const isReason =
    state === 'Failed' || state === 'Waiting' || (state === 'Preparing' && message.startsWith('Waiting '));
  if (!isReason) return undefined;
  return {
    message: `etcd does not run: ${message}`,
    details: [
      `state of the service: ${state}`,
      message.startsWith('Waiting to join etcd')
        ? 'for a new cluster run "talosctl bootstrap" on one control plane; else check the etcd of the others with "talosctl etcd members"'
        : 'see "talosctl service etcd" for its history and "talosctl logs etcd" for its log',
    ],
  };
}
