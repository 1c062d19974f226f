import { readFileSync, readlinkSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { readCommandLine } from './command-line.ts';
import { ifReadable } from './if-readable.ts';
import { parseProcessStat } from './parse-process-stat.ts';
import { processNumbers } from './process-numbers.ts';
import { withoutEnd } from './without-end.ts';

/** A process of user space. */
export interface ProcessInfo {
  readonly pid: number;
  readonly parentPid: number;
  readonly state: string;
  readonly threads: number;
  readonly cpuTimeSeconds: number;
  readonly virtualMemoryBytes: bigint;
  readonly residentMemoryBytes: bigint;
  /** The kernel's short name. */
  readonly command: string;
  /** Path of the program. */
  readonly executable: string;
  /** The command line, its arguments joined by blanks; `…` ends one of more than 8 KiB. */
  readonly args: string;
  /** Security label; empty without a security module. */
  readonly label: string;
}

export interface ReadProcessesInit {
  /** Where procfs is mounted; default `/proc`. */
  readonly procRoot?: string;
  readonly pageSizeBytes: number;
  readonly signal?: AbortSignal;
}

/** After this many processes, about a millisecond, the event loop gets a turn. A busy host has thousands. */
const batchSize = 16;

/**
 * Every process with a readable, non-empty program path and command line, by number. Kernel threads and
 * zombies have neither, so they are never listed; processes of other users are missing when this one may not
 * read them. A process that exits during the read is left out. Source: Talos v1.14: Processes.
 */
export async function readProcesses(init: ReadProcessesInit): Promise<ProcessInfo[]> {
  const procRoot = init.procRoot ?? '/proc';
  const processes: ProcessInfo[] = [];
  const pids = processNumbers(procRoot);
  for (const [index, pid] of pids.entries()) {
    if (index > 0 && index % batchSize === 0) {
      await setImmediate();
      init.signal?.throwIfAborted();
    }
    const info = readProcess(`${procRoot}/${pid}`, BigInt(init.pageSizeBytes));
    if (info !== undefined) processes.push(info);
  }
  return processes;
}

function readProcess(folder: string, pageSizeBytes: bigint): ProcessInfo | undefined {
  const executable = ifReadable(() => readlinkSync(`${folder}/exe`));
  if (!executable) return undefined;
  const args = ifReadable(() => readCommandLine(`${folder}/cmdline`));
  if (!args) return undefined;
  const stat = parseProcessStat(ifReadable(() => readFileSync(`${folder}/stat`, 'utf8')) ?? '');
  if (stat === undefined) return undefined;

  return {
    pid: stat.pid,
    parentPid: stat.parentPid,
    state: stat.state,
    threads: stat.threads,
    cpuTimeSeconds: stat.cpuTimeSeconds,
    virtualMemoryBytes: stat.virtualMemoryBytes,
    residentMemoryBytes: BigInt.asUintN(64, stat.residentPages * pageSizeBytes),
    command: stat.command,
    executable,
    args,
    label: withoutEnd(ifReadable(() => readFileSync(`${folder}/attr/current`, 'utf8')) ?? '', '\0\n'),
  };
}
