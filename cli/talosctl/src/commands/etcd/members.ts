import type { EtcdMember } from '@nodewright/contract/gen/machine/machine.ts';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { memberIdText } from '../../etcd/member-id.ts';
import { onlyMessage } from '../../nodes/only-message.ts';
import { reportNodes } from '../../nodes/report-nodes.ts';
import { addEtcdCommand, type EtcdOptions } from './etcd-options.ts';

const memberRow = (node: string, { id, hostname, peerUrls, clientUrls, isLearner }: EtcdMember) => [
  ...[node, memberIdText(id), hostname, peerUrls.join(','), clientUrls.join(',')],
  String(isLearner),
];

/** `talosctl etcd members`: lists the members that each node reports. Source: Talos v1.14: etcd members. */
export function defineEtcdMembers(etcd: Command, env: CliEnvironment): void {
  addEtcdCommand(etcd, 'members', 'List the members of etcd').action((_: EtcdOptions, command: Command) =>
    reportNodes<readonly EtcdMember[]>(env, command.optsWithGlobals<EtcdOptions>(), {
      call: async ({ machine }, signal) =>
        onlyMessage(await machine.etcdMemberList({ queryLocal: true }, { signal })).members,
      header: ['NODE', 'ID', 'HOSTNAME', 'PEER URLS', 'CLIENT URLS', 'LEARNER'],
      headerWithoutRows: true,
      flushWhenIdle: false,
      rows: (node, members) => members.map((member) => memberRow(node, member)),
      document: (members) => ({
        members: members.map(({ id, ...member }) => ({ id: memberIdText(id), ...member })),
      }),
    }),
  );
}
