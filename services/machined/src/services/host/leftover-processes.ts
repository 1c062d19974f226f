import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** In the environment of a process that a runner starts, and so of all that it starts: the run that it belongs to. */
export const runVariable = 'NODEWRIGHT_RUN';

const pauseMs = 20;

/**
 * Kills what a process has started and left behind, itself included, and waits until it is gone. What has thrown its
 * environment away is not found; a cgroup has that as well.
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
        // It ended by itself in the same moment.
      }
    }
    await sleep(pauseMs);
  }
}

/** By their environment, which the dead have no more, and which only those show that this process may look at. */
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
