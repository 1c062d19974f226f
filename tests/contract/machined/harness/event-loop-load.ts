import { readFileSync } from 'node:fs';

/** Processor time of a process's main thread in ms, without other processes and worker threads. */
export function loopTimeMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  // User and system time, in hundredths of a second.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The peak memory of a process so far. */
export function peakMemoryKb(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

/**
 * The longest time that a process's event loop worked between two answers, while `call` was repeated until
 * `isOver`; in ms of processor time.
 */
export async function longestStopMs(
  pid: number,
  call: () => Promise<unknown>,
  isOver: () => boolean | Promise<boolean>,
): Promise<number> {
  let longest = 0;
  let before = loopTimeMs(pid);
  while (!(await isOver())) {
    await call();
    const now = loopTimeMs(pid);
    longest = Math.max(longest, now - before);
    before = now;
  }
  return longest;
}
