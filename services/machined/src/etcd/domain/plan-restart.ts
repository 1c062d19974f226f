import type { VotingState } from '@nodewright/etcd/quorum';

export type RestartPlan =
  | { readonly kind: 'restart'; readonly isRunning: boolean }
  | { readonly kind: 'wait'; readonly reason: string };

/**
 * Whether this node's etcd may restart now. A member that does not answer may always restart. A running
 * member may restart only while every other member answers, because its vote is missing during the restart.
 *
 * @param own the id of this node's member
 */
export function planRestart(members: readonly VotingState[], own: bigint): RestartPlan {
  const self = members.find(({ id }) => id === own);
  if (self === undefined || !self.isAlive) return { kind: 'restart', isRunning: false };
  const dead = members
    .filter((member) => member !== self && !member.isAlive)
    .map(({ name, id }) => name || `${id}`);
  if (dead.length === 0) return { kind: 'restart', isRunning: true };
  const names = dead.sort().join(' and ');
  return {
    kind: 'wait',
    reason: `etcd of ${names} does not answer: this node restarts its own etcd only when all other members answer`,
  };
}
