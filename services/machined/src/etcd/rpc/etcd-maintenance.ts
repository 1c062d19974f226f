import {
  EtcdMemberAlarm_AlarmType as AlarmType,
  type MachineServiceImplementation,
} from '@nodewright/contract/gen/machine/machine.ts';
import type { EtcdAlarm, EtcdAlarmType, EtcdDowngradeAction } from '@nodewright/etcd';
import { Fault } from '@nodewright/fault';
import { checkDowngradeVersion, downgradeProblem } from '../domain/downgrade-version.ts';
import { storageVersionOf } from '../domain/storage-version.ts';
import type { EtcdAccess } from '../host/etcd-access.ts';

type EtcdMaintenanceCalls = Pick<
  MachineServiceImplementation,
  | 'etcdAlarmList'
  | 'etcdAlarmDisarm'
  | 'etcdDefragment'
  | 'etcdStatus'
  | 'etcdDowngradeValidate'
  | 'etcdDowngradeEnable'
  | 'etcdDowngradeCancel'
>;

const alarmTypes: Readonly<Record<EtcdAlarmType, AlarmType>> = {
  none: AlarmType.NONE,
  'no-space': AlarmType.NOSPACE,
  corrupt: AlarmType.CORRUPT,
};

const shownAlarms = (alarms: readonly EtcdAlarm[]) =>
  alarms.map(({ memberId, type }) => ({ memberId, alarm: alarmTypes[type] }));

/** Implements the maintenance RPCs for this node's own member. Source: Talos v1.14: etcd RPCs. */
export function createEtcdMaintenance({ openLocal }: Pick<EtcdAccess, 'openLocal'>): EtcdMaintenanceCalls {
  const downgrade = async (action: EtcdDowngradeAction, version: string, signal: AbortSignal) => {
    if (action !== 'cancel') checkDowngradeVersion(version);
    await using client = await openLocal();
    const { version: running } = await client.status({ signal });
    const problem = downgradeProblem(running);
    if (problem !== undefined) throw new Fault('failed-precondition', problem);
    const clusterVersion = await client.downgrade(action, version, { signal });
    return { messages: [{ clusterDowngrade: { clusterVersion } }] };
  };
  return {
    async etcdAlarmList(_request, { signal }) {
      await using client = await openLocal();
      return { messages: [{ memberAlarms: shownAlarms(await client.alarms({ signal })) }] };
    },
    async etcdAlarmDisarm(_request, { signal }) {
      await using client = await openLocal();
      return { messages: [{ memberAlarms: shownAlarms(await client.disarm(undefined, { signal })) }] };
    },
    async etcdDefragment(_request, { signal }) {
      await using client = await openLocal();
      await client.defragment({ signal });
      return { messages: [{}] };
    },
    async etcdStatus(_request, { signal }) {
      await using client = await openLocal();
      const {
        version,
        dbSizeBytes,
        dbSizeInUseBytes,
        dbSizeQuotaBytes: _,
        storageVersion,
        errors,
        ...state
      } = await client.status({
        signal,
      });
      const memberStatus = {
        ...state,
        protocolVersion: version,
        storageVersion: storageVersionOf({ storageVersion, version }),
        dbSize: dbSizeBytes,
        dbSizeInUse: dbSizeInUseBytes,
        errors: [...errors],
      };
      return { messages: [{ memberStatus }] };
    },
    etcdDowngradeValidate: ({ version }, { signal }) => downgrade('validate', version, signal),
    etcdDowngradeEnable: ({ version }, { signal }) => downgrade('enable', version, signal),
    etcdDowngradeCancel: (_request, { signal }) => downgrade('cancel', '', signal),
  };
}
