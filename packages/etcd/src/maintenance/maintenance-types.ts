export type EtcdAlarmType = 'none' | 'no-space' | 'corrupt';

/** A problem of a member. */
export interface EtcdAlarm {
  readonly memberId: bigint;
  readonly type: EtcdAlarmType;
}

export type EtcdDowngradeAction = 'validate' | 'enable' | 'cancel';

/** The status of a member. */
export interface EtcdStatus {
  readonly memberId: bigint;
  /** Version of the program: `3.5.16`. */
  readonly version: string;
  readonly dbSizeBytes: bigint;
  readonly dbSizeInUseBytes: bigint;
  /** The leader in the view of this member; 0 without a leader. */
  readonly leader: bigint;
  readonly raftIndex: bigint;
  readonly raftTerm: bigint;
  readonly raftAppliedIndex: bigint;
  /** Alarms as texts, and the absence of a leader. */
  readonly errors: readonly string[];
  readonly isLearner: boolean;
  /** `3.6.0`; empty before version 3.6. */
  readonly storageVersion: string;
}
