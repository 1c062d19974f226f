/** A member of the cluster. */
export interface EtcdMember {
  readonly id: bigint;
  /** The node's hostname; empty until it has started for the first time. */
  readonly name: string;
  readonly peerUrls: readonly string[];
  /** Empty until it has started for the first time. */
  readonly clientUrls: readonly string[];
  readonly isLearner: boolean;
}

/** An id as people read and write it: 16 lower-case hex digits. Source: Talos v1.14: etcd members. */
export function etcdIdText(id: bigint): string {
  return id.toString(16).padStart(16, '0');
}
