import { readdirSync, readFileSync } from 'node:fs';

/** Length of a tick of /proc/PID/stat in milliseconds: USER_HZ is 100 on every Linux that Node.js runs on. */
const tickMs = 10;

/**
 * Processor time that a process has used so far in all of its threads, in milliseconds. Exact to the scheduler's
 * nanoseconds where the kernel counts them (/proc/PID/task/TID/schedstat), else to ticks of 10 ms. Throws when there
 * is no such process. Threads that end between two readings take their time with them: the daemons have none.
 */
export function readProcessCpuMs(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const text = readThread(`/proc/${pid}/task/${thread}/schedstat`);
    if (text === undefined) continue;
    nanoseconds += Number(text.slice(0, text.indexOf(' ')));
  }
  return nanoseconds > 0 ? nanoseconds / 1e6 : cpuMsFromStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
}

/** User and system time of a line of /proc/PID/stat, in milliseconds. */
export function cpuMsFromStat(line: string): number {
  // The name of the program is in parentheses and may hold anything: the fields are counted from its end.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

function readThread(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // The thread ended meanwhile, or the kernel does not count.
    return undefined;
  }
}
