import type { Metadata } from '@nodewright/contract/gen/common/common.ts';
import { faultFromMetadata, unwrapMessages, type WrappedMessage } from './unwrap-messages.ts';

/**
 * Throws the failure that a response reports in its metadata, or in the metadata of one of its entries. For
 * calls to one node, where a failed entry means that the call failed.
 *
 * @throws Fault with the code and the text that the node sent
 */
export function throwReportedFailure(reply: unknown): void {
  if (typeof reply !== 'object' || reply === null) return;
  const { messages, metadata } = reply as { messages?: unknown; metadata?: Metadata };
  if (Array.isArray(messages)) {
    const [failure] = unwrapMessages(reply as { messages: WrappedMessage[] }).failures;
    if (failure !== undefined) throw failure.fault;
  }
  const fault = faultFromMetadata(metadata);
  if (fault !== undefined) throw fault;
}
