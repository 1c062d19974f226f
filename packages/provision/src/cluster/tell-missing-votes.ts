import { faultFrom } from '@nodewright/fault';
import type { Creation } from './creation.ts';

/** Short, because a running cluster may have nodes without etcd, or nodes that left etcd. */
const timeoutMs = 20_000;

/** Notes for the user which control plane of a running cluster has no vote in etcd. This is not a failure. */
export async function tellMissingVotes(
  { progress, signal }: Pick<Creation, 'progress' | 'signal'>,
  form: (timeoutMs: number) => Promise<void>,
): Promise<void> {
  try {
    await form(timeoutMs);
  } catch (error) {
    signal.throwIfAborted();
    progress.note(faultFrom(error).message);
  }
}
