import { type FSWatcher, readFileSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type Member, Membership } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { ChangeSignal } from './change-signal.ts';

/** The nodes of the cluster, as far as this node knows. */
export interface MembershipSource {
  current(): readonly Member[];
  /** Resolves at the next change, or when `signal` aborts. */
  nextChange(signal: AbortSignal): Promise<void>;
}

/** Several events come with one replacement of a file. */
const settleMs = 20;
/** Used where the host has no watches left. */
const pollIntervalMs = 2000;

/**
 * Reads the membership at `path` and follows its replacements. A file that is missing is an empty membership; one that
 * cannot be read is reported, and what was known stays. The folder must exist.
 */
export function openMembershipFile(path: string, log: Logger): MembershipSource & Disposable {
  const changed = new ChangeSignal();
  const scope = new DisposableStack();
  let text: string | undefined;
  let members: readonly Member[] = [];

  const reload = () => {
    try {
      const found = readText(path);
      if (found === text) return;
      members = found === undefined ? [] : Membership.fromJSON(JSON.parse(found)).members;
      text = found;
      changed.notify();
    } catch (error) {
      log.error({ path, error: faultFrom(error).message }, 'membership cannot be read');
    }
  };

  let timer: NodeJS.Timeout | undefined;
  scope.defer(() => clearTimeout(timer));
  const poll = (error: unknown) => {
    log.warn({ path, error: faultFrom(error).message }, 'membership is polled: it cannot be watched');
    const polling = setInterval(reload, pollIntervalMs);
    scope.defer(() => clearInterval(polling));
  };
  try {
    const watcher: FSWatcher = watch(dirname(path), (_event, name) => {
      if (name !== null && name !== basename(path)) return;
      clearTimeout(timer);
      timer = setTimeout(reload, settleMs);
    });
    scope.defer(() => watcher.close());
    watcher.on('error', poll);
  } catch (error) {
    poll(error);
  }
  // After the watch began, so that no replacement falls between the two.
  reload();

  return {
    current: () => members,
    nextChange: (signal) => changed.next(signal),
    [Symbol.dispose]: () => scope.dispose(),
  };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
