import type { Metadata } from '@nodewright/contract/gen/common/common.ts';
import { Fault, kindFromGrpcCode } from '@nodewright/fault';

/**
 * One entry of a response with several entries. `metadata` names the node that sent it, or reports a failure.
 */
export interface WrappedMessage {
  readonly metadata?: Metadata | undefined;
}

export interface MessageFailure {
  /** The node of the entry, if the entry names one. */
  readonly node: string | undefined;
  readonly fault: Fault;
}

export interface UnwrappedMessages<M> {
  /** Entries that carry a result. */
  readonly messages: readonly M[];
  readonly failures: readonly MessageFailure[];
}

/** Returns the failure that the metadata of a response or stream message reports; `undefined` if none. */
export function faultFromMetadata(metadata: Metadata | undefined): Fault | undefined {
  if (typeof metadata?.error !== 'string' || metadata.error === '') return undefined;
  const { status, error } = metadata;
  // Prefer the status, because it also has a code; older nodes send only the text.
  return status === undefined || status.code === 0
    ? new Fault('unknown', error)
    : new Fault(kindFromGrpcCode(status.code), status.message === '' ? error : status.message);
}

/**
 * Splits the entries of a response into results and failures. A gateway that called several nodes reports
 * each failed node as an entry with an error. These entries are never returned as results.
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
