/** An etcd member, as a control plane reports it. */
export interface ProbedMember {
  /** The hosts of its peer URLs. */
  readonly hosts: readonly string[];
  readonly isVoter: boolean;
}

/**
 * Calls the etcd methods of control planes, each through the endpoint of its own apid. Failures are Faults.
 */
export interface EtcdProbe extends AsyncDisposable {
  /** Bootstraps etcd on the node, which becomes the first member. */
  bootstrap(endpoint: string, signal: AbortSignal): Promise<void>;
  /** Lists the members that the node's own etcd knows. Fails while that etcd does not answer. */
  members(endpoint: string, signal: AbortSignal): Promise<readonly ProbedMember[]>;
}
