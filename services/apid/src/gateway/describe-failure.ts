import { methodRule } from '@nodewright/contract';
import { type FaultKind, grpcCodeFromKind } from '@nodewright/fault';
import {
  type CallFailure,
  type GrpcStatus,
  grpcCodeFromH2Error,
  grpcCodeFromHttpStatus,
  h2ErrorName,
  type PumpFailure,
} from '@nodewright/h2';
import type { Hop } from '../domain/rewrite-metadata.ts';

/** The name of a hop in error texts. */
export interface HopLabel {
  /** `node "node02"` or `machined on node01`. */
  readonly subject: string;
  /**
   * ` (via node01)` for another node; empty for this node's machined, because `subject` already names this
   * node.
   */
  readonly via: string;
  readonly isNode: boolean;
}

/** @param self the name of this node */
export function hopLabel(hop: Hop, self: string): HopLabel {
  return hop.kind === 'machined'
    ? { subject: `machined on ${self}`, via: '', isNode: false }
    : { subject: `node ${JSON.stringify(hop.name)}`, via: ` (via ${self})`, isNode: true };
}

function statusOf(fault: FaultKind | number, text: string, { via }: HopLabel): GrpcStatus {
  return { code: typeof fault === 'number' ? fault : grpcCodeFromKind(fault), message: `${text}${via}` };
}

/** The status of a call whose hop cannot be reached; `reason` is a phrase. */
export function describeConnectFailure(label: HopLabel, reason: string): GrpcStatus {
  const text = label.isNode
    ? `no route to ${label.subject}: ${reason}`
    : `${label.subject} is not reachable: ${reason}`;
  return statusOf('unavailable', text, label);
}

/** The status of a call whose deadline passed at this hop. */
export function describeDeadline(label: HopLabel, timeoutMs: number, connecting: boolean): GrpcStatus {
  const doing = connecting ? 'connecting to' : 'waiting for';
  return statusOf(
    'deadline-exceeded',
    `deadline exceeded after ${secondsText(timeoutMs)} while ${doing} ${label.subject}`,
    label,
  );
}

/**
 * The status of a call whose response came compressed although apid had requested an uncompressed one to
 * label.
 */
export function describeCompressed(label: HopLabel): GrpcStatus {
  return statusOf(
    'internal',
    `${label.subject} sent a compressed message, but apid had requested an uncompressed one`,
    label,
  );
}

/** The status of a call whose bytes exceed the budget. */
export function describeFullBudget({ limitBytes }: { readonly limitBytes: number }): GrpcStatus {
  return {
    code: grpcCodeFromKind('resource-exhausted'),
    message: `open calls hold more than ${limitBytes} bytes on this node, try again later`,
  };
}

/** The status of one target of a stream whose bytes exceed the budget because the client does not read them. */
export function describeUnread(label: HopLabel, { limitBytes }: { readonly limitBytes: number }): GrpcStatus {
  const text = `${label.subject} sent more than the client reads: open calls hold more than ${limitBytes} bytes`;
  return statusOf('resource-exhausted', text, label);
}

/** Formats milliseconds as `1.5s`, with at most three digits after the point. */
export function secondsText(timeoutMs: number): string {
  return `${Math.round(timeoutMs) / 1000}s`;
}

/**
 * The status of a call that failed while it was forwarded. Source: gRPC over HTTP/2, errors; Talos v1.14:
 * proxying, errors.
 */
export function describePumpFailure(label: HopLabel, failure: PumpFailure, fullMethod = ''): GrpcStatus {
  const { subject } = label;
  switch (failure.kind) {
    case 'call-failed':
      return describeCallFailure(label, failure.failure, failure.answering);
    case 'not-grpc':
      return failure.httpStatus === 200
        ? statusOf(
            'unknown',
            `${subject} answered ${contentTypeText(failure.contentType)} instead of gRPC`,
            label,
          )
        : statusOf(
            grpcCodeFromHttpStatus(failure.httpStatus),
            `${subject} answered HTTP ${failure.httpStatus} instead of gRPC`,
            label,
          );
    case 'no-status':
      return statusOf('internal', `${subject} ended the call without a status`, label);
    case 'too-large': {
      if (failure.side === 'request' && methodRule(fullMethod)?.request === 'configuration') {
        return describeLongConfiguration(failure);
      }
      const text = `grpc: received message larger than max (${failure.sizeBytes} vs. ${failure.limitBytes})`;
      return failure.side === 'answer'
        ? statusOf('resource-exhausted', `${text} from ${subject}`, label)
        : describeRequestFault(`rpc error: code = ResourceExhausted desc = ${text}`);
    }
    case 'truncated':
      return failure.side === 'answer'
        ? statusOf('internal', `${subject} ended its answer inside a message: ${failure.shortfall}`, label)
        : describeRequestFault(
            `rpc error: code = Internal desc = the request ended inside a message: ${failure.shortfall}`,
          );
  }
}

function describeLongConfiguration({ sizeBytes, limitBytes }: { sizeBytes: number; limitBytes: number }) {
  const message = `the request has ${sizeBytes} bytes; a request with a configuration may have at most ${limitBytes}`;
  return { code: grpcCodeFromKind('invalid-argument'), message };
}

/** The request of the client is invalid. The text is the same as upstream's. */
function describeRequestFault(cause: string): GrpcStatus {
  return { code: grpcCodeFromKind('internal'), message: `failed proxying s2c: ${cause}` };
}

function describeCallFailure(label: HopLabel, failure: CallFailure, answering: boolean): GrpcStatus {
  const { subject } = label;
  switch (failure.kind) {
    case 'reset':
      return statusOf(
        grpcCodeFromH2Error(failure.code),
        `${subject} reset the call: ${h2ErrorName(failure.code)}`,
        label,
      );
    case 'refused':
      return statusOf('unavailable', `${subject} refused the call: it is stopping or overloaded`, label);
    case 'connection-closed': {
      const when = answering ? 'in the middle of its answer' : 'before answering';
      const reason = failure.reason === '' ? '' : `: ${failure.reason}`;
      return statusOf('unavailable', `${subject} closed the connection ${when}${reason}`, label);
    }
    case 'silent':
      return statusOf('unavailable', `${subject} stopped responding`, label);
    case 'protocol':
      return statusOf('internal', `${subject} broke the HTTP/2 protocol: ${failure.reason}`, label);
  }
}

function contentTypeText(contentType: string | undefined): string {
  return contentType === undefined ? 'no content type' : `content type ${JSON.stringify(contentType)}`;
}
