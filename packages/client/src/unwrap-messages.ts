import type { Metadata } from '@nodewright/contract/gen/common/common.ts';
import { Fault, kindFromGrpcCode } from '@nodewright/fault';

/** One entry of a reply that carries several. `metadata` tells which node sent it, or why one did not. */
export interface WrappedMessage {
  readonly metadata?: Metadata | undefined;
}

export interface MessageFailure {
  /** Node that the entry is about, when it names one. */
  readonly node: string | undefined;
  readonly fault: Fault;
}

export interface UnwrappedMessages<M> {
  /** Entries that carry a result. */
  readonly messages: readonly M[];
  readonly failures: readonly MessageFailure[];
}

/** The failure that the metadata of a reply, or of a part of a stream, reports; undefined when it reports none. */
export function faultFromMetadata(metadata: Metadata | undefined): Fault | undefined {
  if (typeof metadata?.error !== 'string' || metadata.error === '') return undefined;
  const { status, error } = metadata;
  // The status is the precise form of the same thing; older nodes send only the text.
  return status === undefined || status.code === 0
    ? new Fault('unknown', error)
    : new Fault(kindFromGrpcCode(status.code), status.message === '' ? error : status.message);
}

/**
 * Splits a reply into the entries that carry a result and the failures. A gateway that asked several nodes reports
 * those that failed as entries with an error; they are never mistaken for results.
 * Source: Talos v1.14: one2many responses.
 */
export function unwrapMessages<M extends WrappedMessage>(reply: {
  readonly messages: readonly M[];
}): UnwrappedMessages<M> {
  const messages: M[] = [];
  const failures: MessageFailure[] = [];
  for (const message of reply.messages) {
    const fault = faultFromMetadata(message.metadata);
    if (fault === undefined) messages.push(message);
    else failures.push({ node: message.metadata?.hostname || undefined, fault });
  }
  return { messages, failures };
}
