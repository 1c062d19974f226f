import type { EtcdMember } from '@nodewright/contract/gen/machine/machine.ts';

/** The effect of removing one member. */
export interface RemovalEffect {
  /** A text that follows the name of the removed member. */
  readonly text: string;
  readonly losesVote: boolean;
}

/** The effect of removing one member of etcd. With an `undefined` argument it assumes the worst. */
export function removalEffect(
  members: readonly Pick<EtcdMember, 'id' | 'isLearner'>[] | undefined,
  id: bigint | undefined,
): RemovalEffect {
  if (members === undefined || id === undefined) {
    return { text: 'the node did not answer: counted as the last etcd voter', losesVote: true };
  }
  const member = members.find((each) => each.id === id);
  if (member === undefined) return { text: 'it is not a member of etcd', losesVote: false };
  if (member.isLearner) return { text: 'it is a learner: no vote is lost', losesVote: false };
  return { text: votersLeft(members.filter(({ isLearner }) => !isLearner).length), losesVote: true };
}

function votersLeft(before: number): string {
  if (before === 1) return 'it is the last etcd voter, and the data of the cluster are lost with it';
  const after = before - 1;
  const mayFail = after - (Math.floor(after / 2) + 1);
  if (after === 1) return '1 voter remains, and it must not fail';
  const left = `${after} of ${before} voters remain`;
  return mayFail === 0 ? `${left}, and none of them may fail` : `${left}, of which ${mayFail} may fail`;
}
