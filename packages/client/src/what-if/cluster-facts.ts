/** A member of etcd. */
export interface MemberFacts {
  readonly id: bigint;
  /** Empty until the member has started for the first time. */
  readonly hostname: string;
  readonly isLearner: boolean;
  /** Whether the member answers. One that was not asked counts as answering. */
  readonly isAlive: boolean;
}

export type NodeSystems = 'none' | 'kept' | 'chosen';

/** What a node reports about itself. Parts that it does not report are undefined. */
export interface NodeFacts {
  /** The node as the user named it. */
  readonly name: string;
  /** Why the node cannot be reached. */
  readonly unreachable?: string | undefined;
  /** The stage of the machine, such as `running`. */
  readonly stage?: string | undefined;
  /** The mode of its platform, such as `container`. */
  readonly mode?: string | undefined;
  /** Its two systems: it has none, or says nothing; it has them; it has chosen what the next start begins with. */
  readonly systems?: NodeSystems | undefined;
  /** Ids of the services that run. */
  readonly services?: readonly string[] | undefined;
  /**
   * Its place in etcd: the id of its member, `none` for a node without etcd. Undefined when the node did not say, which
   * counts as a voter.
   */
  readonly etcd?: bigint | 'none' | undefined;
  /** Whether its member is the leader of etcd. */
  readonly isLeader?: boolean | undefined;
}

/** What is known about a cluster before an action. */
export interface ClusterFacts {
  /** The nodes that are chosen for the action, at least one. */
  readonly nodes: readonly NodeFacts[];
  /** Undefined when no chosen node has returned the list. */
  readonly members: readonly MemberFacts[] | undefined;
  /** The roles in the certificate of the caller; undefined when it has none, as in maintenance. */
  readonly callerRoles?: readonly string[] | undefined;
}
