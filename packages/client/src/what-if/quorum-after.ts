import { quorumOf } from '@nodewright/etcd/quorum';
import type { ClusterFacts, MemberFacts } from './cluster-facts.ts';

/** The voters of etcd after an action. */
export interface QuorumAfter {
  readonly votersBefore: number;
  /** Voters on the chosen nodes, including nodes that did not say whether they have one. */
  readonly lost: number;
  /** Members that remain in the list of voters: those that leave etcd first do not count. */
  readonly voters: number;
  /** Voters that answer after the action. */
  readonly alive: number;
  /** Voters that must answer for etcd to work. */
  readonly needed: number;
  readonly hasQuorum: boolean;
  /** Names of the other voters that do not answer already. */
  readonly downAlready: readonly string[];
}

/** Computes the quorum after the action; `undefined` when the members of etcd are unknown. */
export function quorumAfter(
  { nodes, members }: Pick<ClusterFacts, 'nodes' | 'members'>,
  leaves: boolean,
): QuorumAfter | undefined {
  if (members === undefined) return undefined;
  const voters = members.filter(({ isLearner }) => !isLearner);
  const chosen = new Set(nodes.map(({ etcd }) => etcd));
  const known = voters.filter(({ id }) => chosen.has(id)).length;
  const unknown = nodes.filter(({ etcd }) => etcd === undefined).length;
  const lost = Math.min(voters.length, known + unknown);
  const down = voters.filter(({ id, isAlive }) => !isAlive && !chosen.has(id));
  const left = voters.length - lost;
  // A node that did not answer may be one of those that are down.
  const alive = Math.max(0, left - Math.max(0, down.length - unknown));
  const counted = leaves ? left : voters.length;
  const needed = quorumOf(counted);
  return {
    ...{ votersBefore: voters.length, lost, voters: counted, alive, needed },
    hasQuorum: counted > 0 && alive >= needed,
    downAlready: down.map(memberName).sort(),
  };
}

export function memberName({ hostname, id }: Pick<MemberFacts, 'hostname' | 'id'>): string {
  return hostname === '' ? `member ${id.toString(16).padStart(16, '0')}` : hostname;
}
