import { setTimeout as sleep } from 'node:timers/promises';
import { parseProcessStat } from '@nodewright/linux';
import type { ReadIfThere } from '../../base/domain/read-if-there.ts';

const loadTimeoutMs = 20_000;
const loadPollMs = 20;
const ended = 'Z';

/**
 * Waits for the child of the init that still loads kernel modules when machined starts: for network devices, keys and
 * volumes. It is a child of machined, because the init has become machined (execve). To be called before machined starts
 * processes of its own.
 *
 * @returns whether the child has ended within `timeoutMs`
 */
export async function modulesAreLoaded(read: ReadIfThere, timeoutMs = loadTimeoutMs): Promise<boolean> {
  const endMs = performance.now() + timeoutMs;
  while (hasRunningChild(read)) {
    if (performance.now() >= endMs) return false;
    await sleep(loadPollMs);
  }
  return true;
}

/** An ended child is in the list until machined removes it from the process table. */
function hasRunningChild(read: ReadIfThere): boolean {
  const text = (path: string) => read(path)?.toString() ?? '';
  const children = text('/proc/1/task/1/children').split(' ').filter(Boolean);
  return children.some((pid) => (parseProcessStat(text(`/proc/${pid}/stat`))?.state ?? ended) !== ended);
}
