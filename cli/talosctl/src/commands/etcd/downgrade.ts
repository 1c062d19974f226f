import type { NodeClient } from '@nodewright/client';
import type { EtcdClusterDowngrade } from '@nodewright/contract/gen/machine/machine.ts';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { onlyMessage } from '../../nodes/only-message.ts';
import { reportNodes } from '../../nodes/report-nodes.ts';
import { addEtcdCommand, type EtcdOptions, requireOneNode } from './etcd-options.ts';

type Reply = { readonly clusterDowngrade?: EtcdClusterDowngrade | undefined };
type Call = (node: NodeClient, version: string, signal: AbortSignal) => Promise<Reply>;

const verbs: readonly { name: string; summary: string; takesVersion: boolean; call: Call }[] = [
  {
    name: 'validate',
    summary: 'Check whether etcd can be downgraded to a version',
    takesVersion: true,
    call: async ({ machine }, version, signal) =>
      onlyMessage(await machine.etcdDowngradeValidate({ version }, { signal })),
  },
  {
    name: 'enable',
    summary: 'Allow members of a lower version',
    takesVersion: true,
    call: async ({ machine }, version, signal) =>
      onlyMessage(await machine.etcdDowngradeEnable({ version }, { signal })),
  },
  {
    name: 'cancel',
    summary: 'Cancel a downgrade',
    takesVersion: false,
    call: async ({ machine }, _version, signal) =>
      onlyMessage(await machine.etcdDowngradeCancel({}, { signal })),
  },
];

/** `talosctl etcd downgrade validate|enable|cancel`. Source: Talos v1.14: etcd downgrade. */
export function defineEtcdDowngrade(etcd: Command, env: CliEnvironment): void {
  const downgrade = etcd.command('downgrade').description('Downgrade etcd to an older version');
  for (const { name, summary, takesVersion, call } of verbs) {
    const run = async (version: string, options: EtcdOptions) => {
      await requireOneNode(env, options, `etcd downgrade ${name}`);
      return reportNodes<Reply>(env, options, {
        call: (node, signal) => call(node, version, signal),
        header: ['NODE', 'MESSAGE'],
        headerWithoutRows: false,
        flushWhenIdle: false,
        rows: (node, { clusterDowngrade }) => [
          [
            node,
            `downgrade ${name} success, cluster version ${clusterDowngrade?.clusterVersion ?? 'unknown'}`,
          ],
        ],
        document: ({ clusterDowngrade }) => ({ clusterVersion: clusterDowngrade?.clusterVersion ?? '' }),
      });
    };
    const command = addEtcdCommand(downgrade, name, summary);
    if (takesVersion) {
      command
        .argument('<version>', 'version to downgrade to: major and minor number, such as 3.6')
        .action((version: string, _: EtcdOptions, action: Command) => run(version, action.optsWithGlobals()));
    } else {
      command.action((_: EtcdOptions, action: Command) => run('', action.optsWithGlobals()));
    }
  }
}
