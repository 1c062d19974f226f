import { Fault, type FaultKind } from '@nodewright/fault';

/** The known reasons of failures of etcd. A closed set, because callers decide on retries by it. */
export type EtcdReason =
  /** No connection to any endpoint: nothing was sent. */
  | 'unreachable'
  | 'member-not-found'
  | 'peer-url-exists'
  | 'not-a-learner'
  /** The learner has not caught up: promote it later. */
  | 'learner-not-ready'
  | 'too-many-learners'
  /** The member is a learner, which does not support this call. */
  | 'learner'
  | 'unhealthy-cluster'
  | 'not-enough-started-members'
  | 'no-leader'
  | 'not-leader'
  | 'bad-leader-transferee'
  | 'leader-changed'
  | 'stopped'
  /** The cluster did not agree in time; a write may still have taken effect. */
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

/** A failure of etcd or of the connection to it. */
export class EtcdFault extends Fault {
  /** The endpoint, if there was only one: `host:port`. */
  readonly endpoint: string | undefined;
  readonly reason: EtcdReason | undefined;

  constructor(kind: FaultKind, message: string, { endpoint, reason, cause }: EtcdFaultInit = {}) {
    super(kind, message, { cause });
    this.endpoint = endpoint;
    this.reason = reason;
  }
}

/** The reason of a failure, if it is a known one of etcd. */
export function etcdReasonOf(error: unknown): EtcdReason | undefined {
  return error instanceof EtcdFault ? error.reason : undefined;
}
