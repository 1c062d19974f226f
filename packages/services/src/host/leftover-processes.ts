import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * An environment variable of each process that a runner starts, and of its descendants: the run that they
 * belong to.
 */
export const runVariable = 'NODEWRIGHT_RUN';

const pauseMs = 20;

/**
 * Kills the remaining descendants of a process, including itself, and waits until they are gone. A process
 * that has cleared its environment is not found here, but it is still in the cgroup of the run.
 *
 * @returns how many there were
 */
export async function killLeftovers(run: string, timeoutMs: number): Promise<number> {
  const killed = new Set<number>();
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = processesOf(run);
    if (found.length === 0 || performance.now() > deadline) return killed.size;
    for (const pid of found) {
      killed.add(pid);
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself at the same moment.
      }
    }
    await sleep(pauseMs);
  }
}

/**
 * Found by their environment. Processes that have ended have none, and those of other users are not readable.
 */
function processesOf(run: string): number[] {
  const entry = `${runVariable}=${run}`;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(entry);
      } catch {
        return false;
      }
    })
    .map(Number);
}
