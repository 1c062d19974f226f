export type EtcdAlarmType = 'none' | 'no-space' | 'corrupt';

/** An alarm of a member. */
export interface EtcdAlarm {
  readonly memberId: bigint;
  readonly type: EtcdAlarmType;
}

export type EtcdDowngradeAction = 'validate' | 'enable' | 'cancel';

/** The status of a member. */
export interface EtcdStatus {
  readonly memberId: bigint;
  /** Version of the program: `3.7.3`. */
  readonly version: string;
  readonly dbSizeBytes: bigint;
  readonly dbSizeInUseBytes: bigint;
  /** What the size of the database may not exceed; 0 before etcd 3.6. */
  readonly dbSizeQuotaBytes: bigint;
  /** The id of the leader that this member sees; 0 for none. */
  readonly leader: bigint;
  readonly raftIndex: bigint;
  readonly raftTerm: bigint;
  readonly raftAppliedIndex: bigint;
  /** Alarms as text, and a message when the member sees no leader. */
  readonly errors: readonly string[];
  readonly isLearner: boolean;
  /** `3.7.0`, for example: that of the cluster. Empty until its members have agreed on it, and before etcd 3.6. */
  readonly storageVersion: string;
}
