import type { EffectAnswer } from '../../../protocol/calls.ts';
import type { JudgedEtcd } from '../../judge/judge-etcd.ts';

/** A voter of etcd while the chosen nodes are away. */
export interface VoterAfter {
  /** The node of the voter, or what etcd calls one that is on no node of this page. */
  readonly name: string;
  readonly isLeader: boolean;
  /** What it does then. */
  readonly after: string;
}

/** The voters by name: those on the chosen nodes first, then those that are silent already. */
export function votersAfter(
  { members, leader }: JudgedEtcd,
  { nodes, quorum }: NonNullable<EffectAnswer['effect']>,
): readonly VoterAfter[] {
  const chosen = new Set(
    nodes.filter(({ etcd }) => etcd === 'voter' || etcd === 'unknown').map(({ node }) => node),
  );
  const known = members
    .filter(({ role }) => role !== 'learner')
    .map(({ node, role }): VoterAfter => {
      const isSilent = role === 'away' || role === 'no answer' || quorum?.downAlready.includes(node);
      const now = isSilent ? 'does not answer already' : role === 'not known' ? 'not known yet' : 'answers';
      const after = chosen.has(node) ? 'stops' : now;
      const isLeader = node === leader;
      const isReplaced = isLeader && chosen.has(node) && quorum?.hasQuorum === true;
      return { name: node, isLeader, after: isReplaced ? 'stops: another one is elected' : after };
    });
  const names = new Set(known.map(({ name }) => name));
  const others = (quorum?.downAlready ?? [])
    .filter((name) => !names.has(name))
    .map((name): VoterAfter => ({ name, isLeader: false, after: 'does not answer already' }));
  const order = ({ after }: VoterAfter) => (after.startsWith('stops') ? 0 : after === 'answers' ? 2 : 1);
  return [...known, ...others].sort((a, b) => order(a) - order(b));
}
