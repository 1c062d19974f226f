import type { NodeClient } from '@nodewright/client';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { leaveEffect, type MemberEffect, removeMemberEffect } from '../../etcd/member-effect.ts';
import { memberIdText, parseMemberId } from '../../etcd/member-id.ts';
import { confirmEffect, type Effect } from '../../nodes/ask-question.ts';
import { openClient } from '../../nodes/open-client.ts';
import { reportDone } from '../../nodes/report-done.ts';
import { addEtcdCommand, type EtcdOptions, requireOneNode } from './etcd-options.ts';

type RemovalOptions = EtcdOptions & { readonly yes?: boolean };

const yesOption = ['-y, --yes', 'do not ask for confirmation'] as const;

/** `talosctl etcd leave`: removes the node from etcd. Source: Talos v1.14: etcd leave. */
export function defineEtcdLeave(etcd: Command, env: CliEnvironment): void {
  addEtcdCommand(etcd, 'leave', 'Remove a node from etcd and delete its etcd data')
    .option(...yesOption)
    .action(async (_: RemovalOptions, command: Command) => {
      const options = command.optsWithGlobals<RemovalOptions>();
      await requireOneNode(env, options, 'etcd leave');
      const effect = await describe(env, options, 'etcd leave', (node) => leaveEffect(node, env.signal));
      await confirmEffect(env, effect, options);
      await reportDone(env, options, async ({ machine }, signal) => {
        await machine.etcdLeaveCluster({}, { signal });
        return undefined;
      });
    });
}

/**
 * `talosctl etcd remove-member <id>`: removes a member whose node will not come back.
 * Source: Talos v1.14: etcd remove-member.
 */
export function defineEtcdRemoveMember(etcd: Command, env: CliEnvironment): void {
  addEtcdCommand(etcd, 'remove-member', 'Remove a member whose node is gone')
    .argument('<member-id>', 'id in hex, as "etcd members" prints it', parseMemberId)
    .option(...yesOption)
    .action(async (id: bigint, _: RemovalOptions, command: Command) => {
      const options = command.optsWithGlobals<RemovalOptions>();
      const effect = await describe(env, options, 'etcd remove-member', (node) =>
        removeMemberEffect(node, id, env.signal),
      );
      await confirmEffect(env, effect, options);
      await reportDone(env, options, async ({ machine }, signal) => {
        await machine.etcdRemoveMemberByID({ memberId: id }, { signal });
        return { memberId: memberIdText(id) };
      });
    });
}

/** Describes what the command will do. It queries nodes only without `--yes`, when the user is asked. */
async function describe(
  env: CliEnvironment,
  options: RemovalOptions,
  verb: string,
  effect: (node: NodeClient | undefined) => Promise<MemberEffect>,
): Promise<Effect> {
  using client = await openClient(env, options);
  const nodes = client.targets.map(({ name }) => name);
  if (options.yes) return { verb, nodes, lines: [] };
  const { line, losesVote } = await effect(client.targets[0]);
  return { verb, nodes, lines: [line], risk: losesVote ? line : undefined };
}
