import type { NodeClient } from '@nodewright/client';
import { nodeNameInLine } from '@nodewright/client/node-name';
import { leaveEffect, type MemberEffect, removeMemberEffect } from '../../etcd/member-effect.ts';
import { memberIdText } from '../../etcd/member-id.ts';
import { onlyMessage } from '../../nodes/only-message.ts';
import type { EtcdAction } from '../protocol/calls.ts';

/** The words of the command. */
export function etcdActionName(action: EtcdAction): string {
  if (action.verb === 'remove-member') return `etcd remove-member ${action.member}`;
  return action.verb === 'disarm' ? 'etcd alarm disarm' : `etcd ${action.verb}`;
}

/** What the action does. The command line asks before the first two. */
export async function etcdEffect(
  node: NodeClient,
  action: EtcdAction,
  signal: AbortSignal,
): Promise<MemberEffect> {
  const name = nodeNameInLine(node.name);
  switch (action.verb) {
    case 'leave':
      return leaveEffect(node, signal);
    case 'remove-member':
      return removeMemberEffect(node, BigInt(`0x${action.member}`), signal);
    case 'forfeit-leadership':
      return { line: `${name} lets another member become the leader of etcd, if it leads`, losesVote: false };
    case 'defrag':
      return {
        line: `the member of ${name} frees unused space and answers no requests meanwhile`,
        losesVote: false,
      };
    case 'disarm':
      return { line: `${name} clears the alarms of all members of etcd`, losesVote: false };
  }
}

/** Resolves to what the node answered. */
export async function callEtcd(
  { machine }: NodeClient,
  action: EtcdAction,
  signal: AbortSignal,
): Promise<string> {
  switch (action.verb) {
    case 'leave':
      await machine.etcdLeaveCluster({}, { signal });
      return 'done';
    case 'remove-member':
      await machine.etcdRemoveMemberByID({ memberId: BigInt(`0x${action.member}`) }, { signal });
      return 'done';
    case 'forfeit-leadership': {
      const { member } = onlyMessage(await machine.etcdForfeitLeadership({}, { signal }));
      return member === '' ? 'it was not the leader' : `the leader is ${member}`;
    }
    case 'defrag':
      await machine.etcdDefragment({}, { signal });
      return 'done';
    case 'disarm': {
      const { memberAlarms } = onlyMessage(await machine.etcdAlarmDisarm({}, { signal }));
      const cleared = memberAlarms.map(({ memberId }) => memberIdText(memberId));
      return cleared.length === 0 ? 'there was no alarm' : `cleared for ${cleared.join(', ')}`;
    }
  }
}
