export type EtcdAlarmType = 'none' | 'no-space' | 'corrupt';

/** Something that is wrong with a member. */
export interface EtcdAlarm {
  readonly memberId: bigint;
  readonly type: EtcdAlarmType;
}

export type EtcdDowngradeAction = 'validate' | 'enable' | 'cancel';

/** How a member is. */
export interface EtcdStatus {
  readonly memberId: bigint;
  /** Of the program: `3.5.16`. */
  readonly version: string;
  readonly dbSizeBytes: bigint;
  readonly dbSizeInUseBytes: bigint;
  /** Who leads, as this member sees it; 0 for nobody. */
  readonly leader: bigint;
  readonly raftIndex: bigint;
  readonly raftTerm: bigint;
  readonly raftAppliedIndex: bigint;
  /** Alarms in words, and that there is no leader. */
  readonly errors: readonly string[];
  readonly isLearner: boolean;
  /** `3.6.0`; empty from a program before 3.6. */
  readonly storageVersion: string;
}
