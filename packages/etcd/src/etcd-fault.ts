import { Fault, type FaultKind } from '@nodewright/fault';

/** What etcd has a word for. A closed set: whoever retries decides by it. */
export type EtcdReason =
  /** No connection to any endpoint: nothing was sent. */
  | 'unreachable'
  | 'member-not-found'
  | 'peer-url-exists'
  | 'not-a-learner'
  /** A learner that has not caught up: to be promoted later. */
  | 'learner-not-ready'
  | 'too-many-learners'
  /** The member that was asked is a learner and does not do that. */
  | 'learner'
  | 'unhealthy-cluster'
  | 'not-enough-started-members'
  | 'no-leader'
  | 'not-leader'
  | 'bad-leader-transferee'
  | 'leader-changed'
  | 'stopped'
  /** The cluster has not agreed in time; what was to be changed may be changed. */
  | 'timed-out'
  | 'compacted'
  | 'no-space'
  | 'lease-not-found'
  | 'lease-lost'
  | 'permission-denied'
  | 'downgrade-in-process'
  | 'no-downgrade'
  | 'invalid-downgrade-version';

export interface EtcdFaultInit {
  readonly endpoint?: string;
  readonly reason?: EtcdReason;
  readonly cause?: unknown;
}

/** A failure of etcd or on the way to it. */
export class EtcdFault extends Fault {
  /** Who was asked, where it was one: `host:port`. */
  readonly endpoint: string | undefined;
  readonly reason: EtcdReason | undefined;

  constructor(kind: FaultKind, message: string, { endpoint, reason, cause }: EtcdFaultInit = {}) {
    super(kind, message, { cause });
    this.endpoint = endpoint;
    this.reason = reason;
  }
}

/** The reason of a failure, where it is one of etcd's. */
export function etcdReasonOf(error: unknown): EtcdReason | undefined {
  return error instanceof EtcdFault ? error.reason : undefined;
}
