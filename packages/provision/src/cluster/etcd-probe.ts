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
  /** Why the node's service etcd does not run, from its history; `undefined` while it runs or makes progress. */
  trouble(endpoint: string, signal: AbortSignal): Promise<string | undefined>;
}
