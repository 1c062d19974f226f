import { readdirSync, readFileSync } from 'node:fs';

/**
 * Ends the daemons that a killed machined has left: those with the folder of its node in their command line. The program that started
 * machined must do that, and a log of what was started can lack the last one.
 */
export function endLeftDaemons(folder: string): void {
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    try {
      if (readFileSync(`/proc/${entry}/cmdline`, 'latin1').includes(folder)) process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended, or it is another user's.
    }
  }
}
