import { counterFrom } from './counters.ts';

/** The fields of `/proc/<pid>/stat` that a list of processes shows. */
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
const maxInt32 = 0x7fff_ffffn;

/**
 * Parses `/proc/<pid>/stat`; undefined for a text in another format. The name is in parentheses and may
 * contain spaces, parentheses and line breaks itself: it ends at the last closing parenthesis.
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
  const [pid, parentPid, threads] = [text.slice(0, open).trim(), column(4), column(20)].map(idFrom);
  const [userTicks, systemTicks, virtualMemoryBytes, residentPages] = [14, 15, 23, 24].map((number) =>
    counterFrom(column(number)),
  );
  if (pid === undefined || parentPid === undefined || threads === undefined) return undefined;
  if (userTicks === undefined || systemTicks === undefined) return undefined;
  if (virtualMemoryBytes === undefined || residentPages === undefined) return undefined;

  return {
    pid,
    command: text.slice(open + 1, close),
    state: column(3),
    parentPid,
    threads,
    cpuTimeSeconds: (Number(userTicks) + Number(systemTicks)) / ticksPerSecond,
    virtualMemoryBytes,
    residentPages,
  };
}

/** A number that fits the kernel's `int`. */
function idFrom(word: string): number | undefined {
  const id = counterFrom(word);
  return id === undefined || id > maxInt32 ? undefined : Number(id);
}
