import type { EtcdMemberStatus } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { memberIdText } from '../../etcd/member-id.ts';
import { onlyMessage } from '../../nodes/only-message.ts';
import { reportNodes } from '../../nodes/report-nodes.ts';
import { formatDecimalSize } from '../../render/size.ts';
import { addEtcdCommand, type EtcdOptions } from './etcd-options.ts';

function statusRow(node: string, status: EtcdMemberStatus): string[] {
  const { dbSize, dbSizeInUse } = status;
  const percent = dbSize === 0n ? 0 : (Number(dbSizeInUse) / Number(dbSize)) * 100;
  return [
    node,
    memberIdText(status.memberId),
    formatDecimalSize(dbSize),
    `${formatDecimalSize(dbSizeInUse)} (${percent.toFixed(2)}%)`,
    memberIdText(status.leader),
    String(status.raftIndex),
    String(status.raftTerm),
    String(status.raftAppliedIndex),
    String(status.isLearner),
    status.protocolVersion,
    status.storageVersion,
    status.errors.join(', '),
  ];
}

/** `talosctl etcd status`: prints the state of each node's member. Source: Talos v1.14: etcd status. */
export function defineEtcdStatus(etcd: Command, env: CliEnvironment): void {
  addEtcdCommand(etcd, 'status', 'Show the state of the members of etcd').action(
    (_: EtcdOptions, command: Command) =>
      reportNodes<EtcdMemberStatus>(env, command.optsWithGlobals<EtcdOptions>(), {
        async call({ machine }, signal) {
          const { memberStatus } = onlyMessage(await machine.etcdStatus({}, { signal }));
          if (memberStatus === undefined) throw new Fault('internal', 'the reply contains no status');
          return memberStatus;
        },
        header: [
          ...['NODE', 'MEMBER', 'DB SIZE', 'IN USE', 'LEADER', 'RAFT INDEX', 'RAFT TERM'],
          ...['RAFT APPLIED INDEX', 'LEARNER', 'PROTOCOL', 'STORAGE', 'ERRORS'],
        ],
        headerWithoutRows: true,
        flushWhenIdle: false,
        rows: (node, status) => [statusRow(node, status)],
        document: ({ memberId, leader, ...status }) => ({
          memberId: memberIdText(memberId),
          leader: memberIdText(leader),
          ...status,
        }),
      }),
  );
}
