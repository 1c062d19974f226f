import type { TalosClient } from '@nodewright/client';
import { nodeNameInLine } from '@nodewright/client/node-name';
import type { EtcdMember } from '@nodewright/contract/gen/machine/machine.ts';
import type { Command } from 'commander';
import { type Effect, isMeant } from '../../ask-question.ts';
import type { CliEnvironment } from '../../command-module.ts';
import { memberIdText, parseMemberId } from '../../etcd/member-id.ts';
import { removalEffect } from '../../etcd/quorum-effect.ts';
import { openClient } from '../../open-client.ts';
import { reportDone } from '../../report-done.ts';
import { addEtcdCommand, type EtcdOptions, requireOneNode } from './etcd-options.ts';

type RemovalOptions = EtcdOptions & { readonly yes?: boolean };

/** How long a node may take to say who is in etcd, in milliseconds. */
const answerTimeoutMs = 5000;

const yesOption = ['-y, --yes', 'do not ask'] as const;

/** `talosctl etcd leave`: the node takes itself out of etcd. Source: Talos v1.14: etcd leave. */
export function defineEtcdLeave(etcd: Command, env: CliEnvironment): void {
  addEtcdCommand(etcd, 'leave', 'Take a node out of etcd; its data are deleted')
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
      if (!(await isMeant(env, effect, options.yes === true))) return;
      await reportDone(env, options, async ({ machine }, signal) => {
        await machine.etcdLeaveCluster({}, { signal });
        return undefined;
      });
    });
}

/** `talosctl etcd remove-member <id>`: for members whose node is gone for good. Source: Talos v1.14: etcd remove-member. */
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
      if (!(await isMeant(env, effect, options.yes === true))) return;
      await reportDone(env, options, async ({ machine }, signal) => {
        await machine.etcdRemoveMemberByID({ memberId: id }, { signal });
        return { memberId: memberIdText(id) };
      });
    });
}

/** What the verb will do; nodes are asked only when the answer counts. */
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

/** What the first target knows: the members, and which of them it is itself. Undefined is what it could not say. */
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
