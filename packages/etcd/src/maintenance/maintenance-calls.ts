import {
  type AlarmMember,
  AlarmRequest_AlarmAction,
  AlarmType,
  DowngradeRequest_DowngradeAction,
} from '@nodewright/contract/gen/etcdserverpb/rpc.ts';
import type { EndpointSet } from '../connection/endpoint-set.ts';
import type { EtcdClient } from '../etcd-client.ts';
import type { EtcdAlarm, EtcdAlarmType } from './maintenance-types.ts';

type MaintenanceCalls = Pick<
  EtcdClient,
  'status' | 'alarms' | 'disarm' | 'defragment' | 'moveLeader' | 'downgrade'
>;

/** Long enough for a database of the maximum size on a slow disk. */
const defragmentTimeoutMs = 600_000;

const alarmTypes: Record<EtcdAlarmType, AlarmType> = {
  none: AlarmType.NONE,
  'no-space': AlarmType.NOSPACE,
  corrupt: AlarmType.CORRUPT,
};

const downgradeActions = {
  validate: DowngradeRequest_DowngradeAction.VALIDATE,
  enable: DowngradeRequest_DowngradeAction.ENABLE,
  cancel: DowngradeRequest_DowngradeAction.CANCEL,
} as const;

function alarmFrom({ memberID, alarm }: AlarmMember): EtcdAlarm {
  const known = Object.entries(alarmTypes).find(([, number]) => number === alarm)?.[0];
  return { memberId: memberID, type: (known ?? 'none') as EtcdAlarmType };
}

/** The calls of the Maintenance service. */
export function maintenanceCalls(endpoints: EndpointSet): MaintenanceCalls {
  return {
    status: (options) =>
      endpoints.call(
        {
          method: 'Maintenance/Status',
          repeatable: true,
          run: async ({ maintenance }, attempt) => {
            const { header, dbSize, dbSizeInUse, leader, raftIndex, raftTerm, raftAppliedIndex, ...rest } =
              await maintenance.status({}, attempt);
            return {
              memberId: header?.memberId ?? 0n,
              version: rest.version,
              dbSizeBytes: dbSize,
              dbSizeInUseBytes: dbSizeInUse,
              dbSizeQuotaBytes: rest.dbSizeQuota,
              ...{ leader, raftIndex, raftTerm, raftAppliedIndex },
              errors: rest.errors,
              isLearner: rest.isLearner,
              storageVersion: rest.storageVersion,
            };
          },
        },
        options,
      ),
    alarms: (options) =>
      endpoints.call(
        {
          method: 'Maintenance/Alarm',
          repeatable: true,
          run: async ({ maintenance }, attempt) => {
            const reply = await maintenance.alarm({ action: AlarmRequest_AlarmAction.GET }, attempt);
            return reply.alarms.map(alarmFrom);
          },
        },
        options,
      ),
    async disarm(alarm, options) {
      const wanted = alarm === undefined ? await this.alarms(options) : [alarm];
      const lowered: EtcdAlarm[] = [];
      for (const { memberId, type } of wanted) {
        const action = AlarmRequest_AlarmAction.DEACTIVATE;
        const replies = await endpoints.call(
          {
            method: 'Maintenance/Alarm',
            // Clearing an alarm twice has no further effect.
            repeatable: true,
            run: async ({ maintenance }, attempt) =>
              maintenance.alarm({ action, memberID: memberId, alarm: alarmTypes[type] }, attempt),
          },
          options,
        );
        lowered.push(...replies.alarms.map(alarmFrom));
      }
      return lowered;
    },
    defragment: (options) =>
      endpoints.call(
        {
          method: 'Maintenance/Defragment',
          repeatable: false,
          timeoutMs: defragmentTimeoutMs,
          run: async ({ maintenance }, attempt) => void (await maintenance.defragment({}, attempt)),
        },
        options,
      ),
    moveLeader: (id, options) =>
      endpoints.call(
        {
          method: 'Maintenance/MoveLeader',
          repeatable: false,
          run: async ({ maintenance }, attempt) =>
            void (await maintenance.moveLeader({ targetID: id }, attempt)),
        },
        options,
      ),
    downgrade: (action, version, options) =>
      endpoints.call(
        {
          method: 'Maintenance/Downgrade',
          repeatable: action === 'validate',
          run: async ({ maintenance }, attempt) =>
            (await maintenance.downgrade({ action: downgradeActions[action], version }, attempt)).version,
        },
        options,
      ),
  };
}
