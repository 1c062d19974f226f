import type { NodeClient } from '@nodewright/client';
import { nodeNameInLine } from '@nodewright/client/node-name';
import type { EtcdMember } from '@nodewright/contract/gen/machine/machine.ts';
import { memberIdText } from './member-id.ts';
import { removalEffect } from './quorum-effect.ts';

/** Timeout of the calls that list the members of etcd, in milliseconds. */
const answerTimeoutMs = 5000;

/** What an action on a member of etcd does, for the question before it. */
export interface MemberEffect {
  /** One sentence without a full stop. */
  readonly line: string;
  readonly losesVote: boolean;
}

/** What happens when the node leaves etcd. */
export async function leaveEffect(node: NodeClient | undefined, signal: AbortSignal): Promise<MemberEffect> {
  const { members, own } = await membersOf(node, signal);
  const { text, losesVote } = removalEffect(members, own);
  const name = node === undefined ? 'the node' : nodeNameInLine(node.name);
  return { line: `${name} leaves etcd and its data are deleted: ${text}`, losesVote };
}

/** What happens when the node removes a member whose own node is gone. */
export async function removeMemberEffect(
  node: NodeClient | undefined,
  id: bigint,
  signal: AbortSignal,
): Promise<MemberEffect> {
  const { members } = await membersOf(node, signal);
  const name = members?.find((member) => member.id === id)?.hostname;
  const shown = name ? `${memberIdText(id)} (${nodeNameInLine(name)})` : memberIdText(id);
  const { text, losesVote } = removalEffect(members, id);
  return { line: `member ${shown} is removed from etcd: ${text}`, losesVote };
}

/** The members that the node lists, and the id of its own member; `undefined` where the call failed. */
async function membersOf(
  node: NodeClient | undefined,
  signal: AbortSignal,
): Promise<{ readonly members: readonly EtcdMember[] | undefined; readonly own: bigint | undefined }> {
  const attempt = AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]);
  const [list, status] = await Promise.all([
    node?.machine.etcdMemberList({ queryLocal: true }, { signal: attempt }).catch(() => undefined),
    node?.machine.etcdStatus({}, { signal: attempt }).catch(() => undefined),
  ]);
  return { members: list?.messages[0]?.members, own: status?.messages[0]?.memberStatus?.memberId };
}
