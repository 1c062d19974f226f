import { faultFrom } from '@nodewright/fault';
import { createBoundedCalls, loadNativeCalls, type SlowCalls } from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';

/**
 * Prepares calls to file systems and disks that may hang. Node.js waits for its threads when a process exits, and one of a call
 * that never returns would keep it from ending: while there is one, the process ends without them.
 */
export function openSlowCalls(log: Logger): SlowCalls {
  let isPrepared = false;
  const onOverdue = (place: string) => {
    log.warn({ place }, 'a file system or a disk does not answer');
    if (isPrepared) return;
    isPrepared = true;
    prepareExit().catch((error: unknown) => {
      log.error({ error: faultFrom(error).message }, 'machined cannot end while a file system hangs');
    });
  };
  const remote = createBoundedCalls({ onOverdue });
  const disks = createBoundedCalls({ onOverdue });

  async function prepareExit(): Promise<void> {
    const { exit } = await loadNativeCalls();
    // After the listeners that write the last lines of the log and end child processes, which are older.
    const end = (code: number) => {
      if (remote.isStuck || disks.isStuck) exit(code);
    };
    process.on('exit', end);
  }
  return { remote, disks };
}
