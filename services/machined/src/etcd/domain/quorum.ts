/** A member as far as votes go. */
export interface VotingState {
  readonly id: bigint;
  /** Empty until it has started for the first time. */
  readonly name: string;
  readonly isLearner: boolean;
  /** It answers, and sees a leader. */
  readonly isAlive: boolean;
}

/** How many of so many voters have to agree. */
export function quorumOf(voters: number): number {
  return Math.floor(voters / 2) + 1;
}

/**
 * Why a member must not be taken out of the cluster now; undefined when it may be, or is no member. A cluster that has no
 * quorum cannot agree on a removal, and one that would have none after it could never agree on anything again: neither
 * is etcd asked for. Ours: upstream leaves it to etcd, which knows less of who is about to come back.
 */
export function removalProblem(members: readonly VotingState[], id: bigint): string | undefined {
  const target = members.find((member) => member.id === id);
  if (target === undefined) return undefined;
  const name = nameOf(target);
  const voters = members.filter(({ isLearner }) => !isLearner);
  const needed = quorumOf(voters.length);
  if (countAlive(voters) < needed) {
    const advice = `start ${deadOf(voters)}, or bring the cluster back from a snapshot`;
    return `removing ${name} cannot be agreed on: ${ofVoters(voters)}, and ${needed} are needed: ${advice}`;
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
