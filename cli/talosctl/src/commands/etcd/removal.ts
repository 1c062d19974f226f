import type { TalosClient } from '@nodewright/client';
import { nodeNameInLine } from '@nodewright/client/node-name';
import type { EtcdMember } from '@nodewright/contract/gen/machine/machine.ts';
import type { Command } from 'commander';
import { confirmEffect, type Effect } from '../../ask-question.ts';
import type { CliEnvironment } from '../../command-module.ts';
import { memberIdText, parseMemberId } from '../../etcd/member-id.ts';
import { removalEffect } from '../../etcd/quorum-effect.ts';
import { openClient } from '../../open-client.ts';
import { reportDone } from '../../report-done.ts';
import { addEtcdCommand, type EtcdOptions, requireOneNode } from './etcd-options.ts';

type RemovalOptions = EtcdOptions & { readonly yes?: boolean };

/** Timeout of the calls that list the members of etcd, in milliseconds. */
const answerTimeoutMs = 5000;

const yesOption = ['-y, --yes', 'do not ask for confirmation'] as const;

/** `talosctl etcd leave`: removes the node from etcd. Source: Talos v1.14: etcd leave. */
export function defineEtcdLeave(etcd: Command, env: CliEnvironment): void {
  addEtcdCommand(etcd, 'leave', 'Remove a node from etcd and delete its etcd data')
    .option(...yesOption)
    .action(async (_: RemovalOptions, command: Command) => {
      const options = command.optsWithGlobals<RemovalOptions>();
      await requireOneNode(env, options, 'etcd leave');
      const effect = await describe(env, options, 'etcd leave', async (client) => {
        const [node] = client.targets;
        const { members, own } = await membersOf(client, env.signal);
        const { text, losesVote } = removalEffect(members, own);
        return { line: `${node?.name} leaves etcd and its data are deleted: ${text}`, losesVote };
      });
      if (!(await confirmEffect(env, effect, options.yes === true))) return;
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
      const effect = await describe(env, options, 'etcd remove-member', async (client) => {
        const { members } = await membersOf(client, env.signal);
        const name = members?.find((member) => member.id === id)?.hostname;
        const shown = name ? `${memberIdText(id)} (${nodeNameInLine(name)})` : memberIdText(id);
        const { text, losesVote } = removalEffect(members, id);
        return { line: `member ${shown} is removed from etcd: ${text}`, losesVote };
      });
      if (!(await confirmEffect(env, effect, options.yes === true))) return;
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
  effect: (client: TalosClient) => Promise<{ readonly line: string; readonly losesVote: boolean }>,
): Promise<Effect> {
  using client = await openClient(env, options);
  const nodes = client.targets.map(({ name }) => name);
  if (options.yes) return { verb, nodes, lines: [] };
  const { line, losesVote } = await effect(client);
  return { verb, nodes, lines: [line], risk: losesVote ? line : undefined };
}

/** The members that the first target lists, and the id of its own member; `undefined` where the call failed. */
async function membersOf(
  client: TalosClient,
  signal: AbortSignal,
): Promise<{ readonly members: readonly EtcdMember[] | undefined; readonly own: bigint | undefined }> {
  const [node] = client.targets;
  const attempt = AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]);
  const [list, status] = await Promise.all([
    node?.machine.etcdMemberList({ queryLocal: true }, { signal: attempt }).catch(() => undefined),
    node?.machine.etcdStatus({}, { signal: attempt }).catch(() => undefined),
  ]);
  return { members: list?.messages[0]?.members, own: status?.messages[0]?.memberStatus?.memberId };
}
