import type { EtcdMember } from '@nodewright/contract/gen/machine/machine.ts';

/** What a removal of one member leaves. */
export interface RemovalEffect {
  /** In words that follow what is removed. */
  readonly text: string;
  readonly losesVote: boolean;
}

/** What the removal of one member of etcd leaves. Undefined members could not be listed: the worst is assumed. */
export function removalEffect(
  members: readonly Pick<EtcdMember, 'id' | 'isLearner'>[] | undefined,
  id: bigint | undefined,
): RemovalEffect {
  if (members === undefined || id === undefined) {
    return { text: 'the node could not be asked: counted as the last etcd voter', losesVote: true };
  }
  const member = members.find((each) => each.id === id);
  if (member === undefined) return { text: 'it is no member of etcd', losesVote: false };
  if (member.isLearner) return { text: 'it is a learner: no vote is lost', losesVote: false };
  return { text: votersLeft(members.filter(({ isLearner }) => !isLearner).length), losesVote: true };
}

function votersLeft(before: number): string {
  if (before === 1) return 'it is the last etcd voter: the data of the cluster go with it';
  const after = before - 1;
  const mayFail = after - (Math.floor(after / 2) + 1);
  const left = after === 1 ? '1 voter stays' : `${after} of ${before} voters stay`;
  return mayFail === 0
    ? `${left}, and none of them may fail then`
    : `${left}, of which ${mayFail} may fail then`;
}
