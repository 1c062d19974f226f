/** The state of a member that matters for a quorum. */
export interface VotingState {
  readonly id: bigint;
  /** Empty until the member has started for the first time. */
  readonly name: string;
  readonly isLearner: boolean;
  /** Whether the member answers and sees a leader. */
  readonly isAlive: boolean;
}

/** The quorum of a number of voters: more than half of them. */
export function quorumOf(voters: number): number {
  return Math.floor(voters / 2) + 1;
}

/**
 * Why a member must not be removed now; `undefined` when it may be removed or is not in the cluster. A
 * removal needs a quorum, and a cluster without a quorum after it could never agree on a change again. Talos
 * leaves this check to etcd.
 */
export function removalProblem(members: readonly VotingState[], id: bigint): string | undefined {
  const target = members.find((member) => member.id === id);
  if (target === undefined) return undefined;
  const name = nameOf(target);
  const voters = members.filter(({ isLearner }) => !isLearner);
  const needed = quorumOf(voters.length);
  if (countAlive(voters) < needed) {
    const advice = `start ${deadOf(voters)}, or restore the cluster from a snapshot`;
    return `cannot remove ${name} without a quorum: ${ofVoters(voters)}, and ${needed} are needed: ${advice}`;
  }
  if (target.isLearner) return undefined;
  const left = voters.filter((voter) => voter !== target);
  if (left.length === 0) return `removing ${name} would leave no voter: it is the last one of the cluster`;
  const neededThen = quorumOf(left.length);
  if (countAlive(left) >= neededThen) return undefined;
  const advice = `start ${deadOf(left)} or remove it first`;
  return `removing ${name} would leave ${ofVoters(left)}, and ${neededThen} are needed: ${advice}`;
}

const countAlive = (members: readonly VotingState[]) => members.filter(({ isAlive }) => isAlive).length;

function ofVoters(voters: readonly VotingState[]): string {
  return `${countAlive(voters)} of ${voters.length} voters alive`;
}

function deadOf(members: readonly VotingState[]): string {
  return members
    .filter(({ isAlive }) => !isAlive)
    .map(nameOf)
    .sort()
    .join(' and ');
}

function nameOf({ name, id }: VotingState): string {
  return name === '' ? `member ${id.toString(16).padStart(16, '0')}` : name;
}
