import { readdirSync, readFileSync } from 'node:fs';

/** Memory of a process in MB (1e6 bytes), from /proc/PID/smaps_rollup. */
export interface ProcessMemory {
  readonly rss: number;
  /** Resident pages, each divided by the number of processes that share it. */
  readonly pss: number;
  /** Resident pages of this process only, which its exit would free. */
  readonly uss: number;
}

export function readProcessMemory(pid: number): ProcessMemory {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const megabytes = (key: string) =>
    (Number(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) * 1024) / 1e6;
  const uss = megabytes('Private_Clean') + megabytes('Private_Dirty');
  return { rss: megabytes('Rss'), pss: megabytes('Pss'), uss };
}

/** The most that was ever resident, in MB. */
export function readPeakMemory(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (Number(/^VmHWM:\s+(\d+) kB/m.exec(text)?.[1]) * 1024) / 1e6;
}

/** Processes whose command line holds every one of `words`, with that command line. */
export function findProcesses(...words: string[]): { readonly pid: number; readonly command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return words.every((word) => command.includes(word)) ? [{ pid: Number(name), command }] : [];
      } catch {
        // The process has exited meanwhile.
        return [];
      }
    });
}
