/** A member as an upgrade of one of them sees it. */
export interface UpgradedMember {
  /** Empty until the member has started for the first time. */
  readonly name: string;
  /** In hex. */
  readonly id: string;
  /** Why it answers no read that needs a quorum; undefined when it does. */
  readonly failure: string | undefined;
}

/** What keeps members from an upgrade of one of them. */
export interface MemberProblems {
  /** Of the cluster as a whole; undefined when it has none. */
  readonly common: string | undefined;
  /** Why a member is not healthy, by its name. */
  readonly byName: ReadonlyMap<string, string>;
  /** Of all members that have one. */
  readonly names: readonly string[];
}

/** The same as `upgradeProblem()`, by member. */
export function memberProblems(members: readonly UpgradedMember[]): MemberProblems {
  return {
    common: upgradeProblem(members.map((member) => ({ ...member, failure: undefined }))),
    byName: new Map(
      members.flatMap(({ name, failure }) => (failure === undefined ? [] : [[name, failure] as const])),
    ),
    names: members.flatMap(({ name }) => (name === '' ? [] : [name])),
  };
}

/**
 * Why no member may go down for an upgrade now; undefined when one may. The only member may, and so may one of three or more when
 * all of them serve reads. Source: Talos v1.14: MachineService, upgrade.
 */
export function upgradeProblem(members: readonly UpgradedMember[]): string | undefined {
  if (members.length === 2)
    return 'etcd member count(2) is insufficient to maintain quorum when upgrade commences';
  const unstarted = members.find(({ name }) => name === '');
  if (unstarted !== undefined) return `etcd member ${unstarted.id} has not started yet: it has no name`;
  const failed = members.find(({ failure }) => failure !== undefined);
  if (failed !== undefined) return `etcd member "${failed.name}" is not healthy: ${failed.failure}`;
  return undefined;
}
