import { faultFrom } from '@nodewright/fault';
import type { Creation } from './creation.ts';

/** A node of a cluster that runs may never have had etcd, or a member that has left: that is not waited for for long. */
const keptPatienceMs = 20_000;

/** For a cluster that runs already, and is kept as it is: what is missing of etcd is told, and no failure. */
export async function tellMissingVotes(
  { progress, signal }: Pick<Creation, 'progress' | 'signal'>,
  form: (patienceMs: number) => Promise<void>,
): Promise<void> {
  try {
    await form(keptPatienceMs);
  } catch (error) {
    signal.throwIfAborted();
    progress.note(faultFrom(error).message);
  }
}
