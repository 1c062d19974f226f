import type { NodeClient } from '@nodewright/client';
import {
  type EtcdMemberAlarm,
  etcdMemberAlarm_AlarmTypeToJSON,
} from '@nodewright/contract/gen/machine/machine.ts';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { memberIdText } from '../../etcd/member-id.ts';
import { onlyMessage } from '../../nodes/only-message.ts';
import { reportNodes } from '../../nodes/report-nodes.ts';
import { addEtcdCommand, type EtcdOptions } from './etcd-options.ts';

type Call = (node: NodeClient, signal: AbortSignal) => Promise<readonly EtcdMemberAlarm[]>;

const calls: Readonly<Record<'list' | 'disarm', Call>> = {
  list: async ({ machine }, signal) => onlyMessage(await machine.etcdAlarmList({}, { signal })).memberAlarms,
  disarm: async ({ machine }, signal) =>
    onlyMessage(await machine.etcdAlarmDisarm({}, { signal })).memberAlarms,
};

/** `talosctl etcd alarm list|disarm`. Source: Talos v1.14: etcd alarm. */
export function defineEtcdAlarm(etcd: Command, env: CliEnvironment): void {
  const alarm = etcd.command('alarm').description('Show and clear alarms of etcd');
  const define = (name: keyof typeof calls, summary: string) =>
    addEtcdCommand(alarm, name, summary).action((_: EtcdOptions, command: Command) =>
      reportNodes<readonly EtcdMemberAlarm[]>(env, command.optsWithGlobals<EtcdOptions>(), {
        call: calls[name],
        header: ['NODE', 'MEMBER', 'ALARM'],
        headerWithoutRows: false,
        flushWhenIdle: false,
        rows: (node, alarms) =>
          alarms.map((each) => [
            node,
            memberIdText(each.memberId),
            etcdMemberAlarm_AlarmTypeToJSON(each.alarm),
          ]),
        document: (alarms) => ({
          alarms: alarms.map((each) => ({
            memberId: memberIdText(each.memberId),
            alarm: etcdMemberAlarm_AlarmTypeToJSON(each.alarm),
          })),
        }),
      }),
    );
  define('list', 'List the alarms');
  define('disarm', 'Clear the alarms');
}
