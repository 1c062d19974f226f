import { basename } from 'node:path';

/** What the memory of a machine is used for. */
export interface MachineMemory {
  readonly totalBytes: number;
  /** MemTotal less MemAvailable: what new programs cannot have. */
  readonly usedBytes: number;
  /** The processes with memory of their own, the largest first. */
  readonly processes: readonly ProcessMemory[];
}

export interface ProcessMemory {
  readonly pid: number;
  readonly command: string;
  /** Its memory, of which it has a share where other processes use it too (PSS). */
  readonly proportionalBytes: number;
  /** What is released when it ends. */
  readonly privateBytes: number;
}

interface Listed {
  readonly processes: readonly {
    readonly pid: number;
    readonly command: string;
    readonly args: string;
    readonly residentMemory: number;
  }[];
}

/**
 * Reads the memory of a machine.
 *
 * @param talosctl calls the machine and returns the output
 */
export async function readMachineMemory(
  talosctl: (...words: string[]) => Promise<string>,
): Promise<MachineMemory> {
  const read = (path: string) => talosctl('read', path);
  const meminfo = await read('/proc/meminfo');
  const totalBytes = kilobytes(meminfo, 'MemTotal');
  const usedBytes = totalBytes - kilobytes(meminfo, 'MemAvailable');
  const [{ processes: listed }] = JSON.parse(await talosctl('processes', '-o', 'json')) as [Listed];
  const processes: ProcessMemory[] = [];
  for (const { pid, args, command, residentMemory } of listed) {
    // A kernel thread.
    if (residentMemory === 0) continue;
    const rollup = await read(`/proc/${pid}/smaps_rollup`);
    const privateBytes = kilobytes(rollup, 'Private_Clean') + kilobytes(rollup, 'Private_Dirty');
    processes.push({
      pid,
      command: args || command,
      proportionalBytes: kilobytes(rollup, 'Pss'),
      privateBytes,
    });
  }
  processes.sort((a, b) => b.proportionalBytes - a.proportionalBytes);
  return { totalBytes, usedBytes, processes };
}

/**
 * The memory of programs and daemons by their names; several processes of one program together. A daemon is a bundle `<name>.cjs`
 * that Node.js runs.
 */
export function memoryOf(
  processes: readonly ProcessMemory[],
  names: readonly string[],
): readonly { readonly name: string; readonly proportionalBytes: number }[] {
  return names.flatMap((name) => {
    const isNamed = ({ command }: ProcessMemory) => {
      const [program = '', ...words] = command.split(/[ \0]/);
      return basename(program) === name || words.some((word) => basename(word) === `${name}.cjs`);
    };
    const own = processes.filter(isNamed);
    if (own.length === 0) return [];
    return [{ name, proportionalBytes: own.reduce((sum, one) => sum + one.proportionalBytes, 0) }];
  });
}

/** A value of `/proc/meminfo` or `smaps_rollup` in bytes. */
function kilobytes(text: string, name: string): number {
  return Number(new RegExp(`^${name}: *(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0) * 1024;
}
