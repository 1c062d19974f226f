/** A member of etcd as a control plane tells of it. */
export interface ProbedMember {
  /** Where the other members reach it. */
  readonly hosts: readonly string[];
  readonly isVoter: boolean;
}

/** Speaks about etcd with control planes, each at the endpoint of its own apid. Failures are Faults. */
export interface EtcdProbe extends AsyncDisposable {
  /** Makes the node the first member of a new cluster. */
  bootstrap(endpoint: string, signal: AbortSignal): Promise<void>;
  /** The members that etcd of the node knows. */
  members(endpoint: string, signal: AbortSignal): Promise<readonly ProbedMember[]>;
}
