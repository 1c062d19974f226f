/** The part of `/proc/<pid>/stat` that a process listing shows. */
export interface ProcessStat {
  readonly pid: number;
  /** The kernel's name of the process: at most 15 bytes, any character. */
  readonly command: string;
  /** One letter: R, S, D, Z, T, ... */
  readonly state: string;
  readonly parentPid: number;
  readonly threads: number;
  /** User and system time together, in seconds. */
  readonly cpuTimeSeconds: number;
  readonly virtualMemoryBytes: bigint;
  readonly residentPages: bigint;
}

const ticksPerSecond = 100;

/**
 * Reads `/proc/<pid>/stat`, or gives undefined when the text has another shape. The name stands in parentheses and
 * may hold spaces, parentheses and line breaks itself: it ends at the last closing one.
 */
export function parseProcessStat(text: string): ProcessStat | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 0 || close < open) return undefined;

  // The first column after the name is number 3 in proc(5), so column N is columns[N - 3].
  const columns = text
    .slice(close + 1)
    .trim()
    .split(' ');
  const column = (number: number) => columns[number - 3] ?? '';
  const pid = text.slice(0, open).trim();
  const numbers = [pid, column(4), column(14), column(15), column(20), column(23), column(24)];
  if (!numbers.every((word) => /^-?\d+$/.test(word))) return undefined;

  return {
    pid: Number(pid),
    command: text.slice(open + 1, close),
    state: column(3),
    parentPid: Number(column(4)),
    threads: Number(column(20)),
    cpuTimeSeconds: (Number(column(14)) + Number(column(15))) / ticksPerSecond,
    virtualMemoryBytes: BigInt(column(23)),
    residentPages: BigInt(column(24)),
  };
}
