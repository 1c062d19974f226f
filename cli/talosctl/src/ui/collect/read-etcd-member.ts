import type { NodeClient } from '@nodewright/client';
import { etcdMemberAlarm_AlarmTypeToJSON } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import { memberIdText } from '../../etcd/member-id.ts';
import { onlyMessage } from '../../nodes/only-message.ts';
import type { EtcdMember } from '../protocol/messages.ts';

/** The member of etcd of a node, with its alarms. @throws Fault */
export async function readEtcdMember({ machine }: NodeClient, signal: AbortSignal): Promise<EtcdMember> {
  const [status, alarms] = await Promise.all([
    machine.etcdStatus({}, { signal }),
    machine.etcdAlarmList({}, { signal }).catch(() => undefined),
  ]);
  const { memberStatus } = onlyMessage(status);
  if (memberStatus === undefined) throw new Fault('internal', 'the reply contains no status');
  const { memberId } = memberStatus;
  const raised = alarms === undefined ? [] : onlyMessage(alarms).memberAlarms;
  return {
    ...{ id: memberIdText(memberId), leader: memberIdText(memberStatus.leader) },
    term: Number(memberStatus.raftTerm),
    raftIndex: Number(memberStatus.raftIndex),
    appliedIndex: Number(memberStatus.raftAppliedIndex),
    dbBytes: Number(memberStatus.dbSize),
    usedBytes: Number(memberStatus.dbSizeInUse),
    isLearner: memberStatus.isLearner,
    version: memberStatus.protocolVersion,
    errors: memberStatus.errors,
    alarms: raised
      .filter((alarm) => alarm.memberId === memberId)
      .map(({ alarm }) => etcdMemberAlarm_AlarmTypeToJSON(alarm))
      .filter((alarm) => alarm !== 'NONE'),
  };
}
