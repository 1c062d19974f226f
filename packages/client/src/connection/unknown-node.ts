import { unknownNodeReason } from '@nodewright/contract';
import type { Fault } from '@nodewright/fault';

/**
 * The error text of upstream's apid for a name that does not resolve. Source: gRPC in Go, name resolution.
 */
const upstreamReason = 'name resolver error: produced zero addresses';

/** The suffix that apid appends to a message, such as ` (via node01)`. */
const viaPattern = / \(via ([^()]+)\)$/;

/**
 * Whether an endpoint reported that it does not know the node. It forwarded nothing, and another endpoint may
 * know the node.
 */
export function isUnknownNode({ kind, message }: Fault): boolean {
  if (kind !== 'unavailable') return false;
  return (
    (message.startsWith('no route to node ') && message.includes(`: ${unknownNodeReason}`)) ||
    message.includes(upstreamReason)
  );
}

export interface UnknownNodeAnswers {
  /** The messages of the endpoints that were called; at least one. */
  readonly messages: readonly string[];
  /** Number of endpoints. */
  readonly endpoints: number;
  /** Whether only one endpoint was called because the call must not be sent twice. */
  readonly isSentOnce: boolean;
}

/** The message for the caller: that of the first endpoint, with the number of endpoints that were called. */
export function describeUnknownNode({ messages, endpoints, isSentOnce }: UnknownNodeAnswers): string {
  const [first = ''] = messages;
  const via = new Set(messages.flatMap((message) => viaPattern.exec(message)?.[1] ?? []));
  const asked = askedText(messages.length, endpoints, isSentOnce);
  const viaText = via.size === 0 ? '' : ` (via ${[...via].join(', ')})`;
  return `${first.replace(viaPattern, '')}; ${asked}${viaText}`;
}

function askedText(asked: number, endpoints: number, isSentOnce: boolean): string {
  if (endpoints === 1) return 'the only endpoint was asked';
  if (asked === endpoints) return `all ${endpoints} endpoints were asked`;
  const some = `${asked} of ${endpoints} endpoints ${asked === 1 ? 'was' : 'were'} asked`;
  return isSentOnce
    ? `${some}: another one may know the node, but a change is sent to one endpoint only`
    : `${some}, no other could be reached`;
}
