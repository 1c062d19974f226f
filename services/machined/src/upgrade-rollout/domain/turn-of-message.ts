import { NodeRole as RoleMessage, type Turn } from '@nodewright/contract/gen/suite/upgrade/v1/rollout.ts';
import { Fault } from '@nodewright/fault';
import { type NodeRole, planLimits } from '@nodewright/rollout';
import type { NodeTurn } from './node-turn-id.ts';

const rolloutId = /^[0-9a-f]{32}$/;

/** @throws Fault `invalid-argument` for a message that names no turn */
export function turnOfMessage(turn: Turn | undefined): NodeTurn {
  if (turn === undefined) throw new Fault('invalid-argument', 'the turn is missing');
  const { rollout, node, attempt } = turn;
  const role = roleOfMessage(turn.role);
  if (!rolloutId.test(rollout))
    throw new Fault('invalid-argument', 'the id of the roll-out is not 32 hexadecimal digits');
  if (node === '' || node.length > planLimits.nameLength)
    throw new Fault('invalid-argument', 'the name of the node is empty or too long');
  if (role === undefined) throw new Fault('invalid-argument', 'the role of the node is missing');
  if (attempt < 1 || attempt > planLimits.attempts)
    throw new Fault('invalid-argument', `the attempt is not 1 to ${planLimits.attempts}`);
  return { rollout, node, role, attempt };
}

export const messageOfTurn = ({ rollout, node, role, attempt }: NodeTurn): Turn => ({
  ...{ rollout, node, attempt },
  role: messageOfRole(role),
});

export function roleOfMessage(role: RoleMessage): NodeRole | undefined {
  if (role === RoleMessage.NODE_ROLE_CONTROL_PLANE) return 'control-plane';
  return role === RoleMessage.NODE_ROLE_WORKER ? 'worker' : undefined;
}

export const messageOfRole = (role: NodeRole): RoleMessage =>
  role === 'worker' ? RoleMessage.NODE_ROLE_WORKER : RoleMessage.NODE_ROLE_CONTROL_PLANE;
