import { ChangeSignal, pause } from '@nodewright/async';
import { type Member, Membership } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import { watchFile } from '@nodewright/daemon';
import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';

/** The nodes of the cluster that this node knows from its seed. */
export interface MembershipSource {
  current(): readonly Member[];
  /** Resolves at the next change, or when `signal` aborts. */
  nextChange(signal: AbortSignal): Promise<void>;
}

/** The back-off when the file cannot be read, or when the host has no inotify watches left. */
const retryMs = 2000;

/**
 * Reads the membership at `path` and follows its replacements. A missing file is an empty membership. A file
 * that cannot be read is logged, and the last membership stays. Resolves after the first read; the caller
 * disposes the result.
 */
export async function openMembershipFile(
  path: string,
  log: Logger,
): Promise<MembershipSource & AsyncDisposable> {
  const changed = new ChangeSignal();
  const stop = new AbortController();
  const looked = Promise.withResolvers<void>();
  let members: readonly Member[] = [];

  const report = (error: unknown) => {
    log.error({ path, error: faultFrom(error).message }, 'membership cannot be read');
    looked.resolve();
  };
  const take = (content: Uint8Array | undefined) => {
    try {
      members =
        content === undefined ? [] : Membership.fromJSON(JSON.parse(Buffer.from(content).toString())).members;
    } catch (error) {
      return report(error);
    }
    changed.notify();
    looked.resolve();
  };
  const follow = async () => {
    while (!stop.signal.aborted) {
      try {
        for await (const content of watchFile(path, { signal: stop.signal })) take(content);
      } catch (error) {
        report(error);
        await pause(retryMs, stop.signal);
      }
    }
  };

  const ended = follow();
  await looked.promise;
  return {
    current: () => members,
    nextChange: (signal) => changed.next(signal),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}
