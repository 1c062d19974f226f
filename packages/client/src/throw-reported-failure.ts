import type { Metadata } from '@nodewright/contract/gen/common/common.ts';
import { faultFromMetadata, unwrapMessages, type WrappedMessage } from './unwrap-messages.ts';

/**
 * Throws the failure that a reply reports instead of a result: in the metadata of one of its entries, or in its own.
 * For calls to one node, where a failed entry means that the call failed.
 *
 * @throws Fault with the code and the text that the node gave
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
