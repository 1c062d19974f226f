import { type FaultKind, faultFrom } from '@nodewright/fault';
import { EtcdFault, type EtcdReason } from '../etcd-fault.ts';

/** Error texts of etcd, without their common prefix. The first entry that the text begins with counts. */
const reasons: readonly (readonly [string, EtcdReason])[] = [
  ['member not found', 'member-not-found'],
  ['Peer URLs already exists', 'peer-url-exists'],
  // The same error, within the second in which the member was added: ids are hashes of URLs and time.
  ['member ID already exist', 'peer-url-exists'],
  ['can only promote a learner member which is in sync with leader', 'learner-not-ready'],
  ['can only promote a learner member', 'not-a-learner'],
  ['too many learner members in cluster', 'too-many-learners'],
  ['rpc not supported for learner', 'learner'],
  ['unhealthy cluster', 'unhealthy-cluster'],
  ['re-configuration failed due to not enough started members', 'not-enough-started-members'],
  ['no leader', 'no-leader'],
  ['not leader', 'not-leader'],
  ['bad leader transferee', 'bad-leader-transferee'],
  ['leader changed', 'leader-changed'],
  ['server stopped', 'stopped'],
  ['request timed out', 'timed-out'],
  ['mvcc: required revision has been compacted', 'compacted'],
  ['mvcc: database space exceeded', 'no-space'],
  ['requested lease not found', 'lease-not-found'],
  ['permission denied', 'permission-denied'],
  ['cluster has a downgrade job in progress', 'downgrade-in-process'],
  ['cluster has an ongoing downgrade job', 'downgrade-in-process'],
  ['no inflight downgrade job', 'no-downgrade'],
  ['invalid downgrade target version', 'invalid-downgrade-version'],
];

/** Errors whose gRPC code does not match their meaning. */
const kinds: Partial<Record<EtcdReason, FaultKind>> = {
  learner: 'failed-precondition',
  'not-leader': 'failed-precondition',
};

const serverPrefix = 'etcdserver: ';
const noConnection = /^No connection established\. Last error: (?:Error: )?(.*?)\.? Resolution note: /s;

/** Converts a thrown value to a fault that names the endpoint. Faults pass unchanged. */
export function faultOfEtcd(error: unknown, endpoint: string): EtcdFault {
  if (error instanceof EtcdFault) return error;
  const { kind, message } = faultFrom(error);
  const unconnected =
    noConnection.exec(message) ?? (message === 'Failed to connect' ? ['', message] : undefined);
  if (unconnected !== undefined) return unreachable(endpoint, unconnected[1] || 'connecting failed', error);
  if (message.startsWith('Channel has been shut down'))
    return new EtcdFault('cancelled', `the client of etcd at ${endpoint} is closed`, {
      endpoint,
      cause: error,
    });
  const said = message.startsWith(serverPrefix) ? message.slice(serverPrefix.length) : message;
  const reason = reasons.find(([text]) => said.startsWith(text))?.[1];
  const init = { endpoint, cause: error, ...(reason === undefined ? {} : { reason }) };
  return new EtcdFault((reason && kinds[reason]) ?? kind, `etcd at ${endpoint}: ${said}`, init);
}

/** Reports a missing connection: the request was not sent. */
export function unreachable(endpoint: string, why: string, cause?: unknown): EtcdFault {
  const message = `etcd at ${endpoint} cannot be reached: ${why}`;
  return new EtcdFault('unavailable', message, { endpoint, reason: 'unreachable', cause });
}
