/** A member of the cluster. */
export interface EtcdMember {
  readonly id: bigint;
  /** The hostname of the node; empty until the member has started for the first time. */
  readonly name: string;
  readonly peerUrls: readonly string[];
  /** Empty until the member has started for the first time. */
  readonly clientUrls: readonly string[];
  readonly isLearner: boolean;
}

/** The text form of an id: 16 lower-case hex digits. Source: Talos v1.14: etcd members. */
export function etcdIdText(id: bigint): string {
  return id.toString(16).padStart(16, '0');
}
