import { type Counters, counterFrom, countersFromColumns, sumCounters } from './counters.ts';

/** Time that one CPU, or all of them, spent in each state since boot, in seconds. */
export interface CpuTimes {
  readonly user: number;
  readonly nice: number;
  readonly system: number;
  readonly idle: number;
  readonly iowait: number;
  readonly irq: number;
  readonly softIrq: number;
  readonly steal: number;
  readonly guest: number;
  readonly guestNice: number;
}

/** Vectors of soft interrupts, in the order of the columns after the total. */
export const softInterruptNames = [
  'hi',
  'timer',
  'netTx',
  'netRx',
  'block',
  'irqPoll',
  'tasklet',
  'sched',
  'hrtimer',
  'rcu',
] as const;

/** `/proc/stat`. Counters count since boot. */
export interface KernelStatistics {
  /** Unix time of the boot, in seconds. */
  readonly bootTime: bigint;
  readonly cpuTotal: CpuTimes;
  /** Indexed by CPU number; an offline CPU is a hole. */
  readonly cpus: readonly (CpuTimes | undefined)[];
  readonly interruptTotal: bigint;
  /** Indexed by interrupt number. */
  readonly interrupts: readonly bigint[];
  readonly contextSwitches: bigint;
  readonly processesCreated: bigint;
  readonly processesRunning: bigint;
  readonly processesBlocked: bigint;
  readonly softInterruptTotal: bigint;
  /** Served since boot, by vector. */
  readonly softInterrupts: Counters<(typeof softInterruptNames)[number]>;
}

/** For user space CPU times are counted in hundredths of a second, whatever the kernel's own tick is. */
const ticksPerSecond = 100;

/** Parses `/proc/stat`. Lines and columns that the running kernel does not print count as zero. */
export function parseStat(text: string): KernelStatistics {
  const lines = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [name, ...columns] = line.split(' ').filter((word) => word !== '');
    if (name !== undefined) lines.set(name, columns);
  }

  // No kernel supports more than 8192 CPUs: a larger number is not a CPU line.
  const cpus: (CpuTimes | undefined)[] = [];
  for (const [name, columns] of lines) {
    const number = /^cpu(\d{1,4})$/.exec(name)?.[1];
    if (number !== undefined) cpus[Number(number)] = cpuTimesFrom(columns);
  }

  const counter = (name: string) => countFrom(lines.get(name)?.[0]);
  const [interruptTotal, ...interrupts] = (lines.get('intr') ?? []).map(countFrom);
  const [softInterruptTotal, ...softInterrupts] = lines.get('softirq') ?? [];

  return {
    bootTime: counter('btime'),
    cpuTotal: cpuTimesFrom(lines.get('cpu') ?? []),
    cpus: Array.from(cpus),
    interruptTotal: interruptTotal ?? 0n,
    interrupts,
    contextSwitches: counter('ctxt'),
    processesCreated: counter('processes'),
    processesRunning: counter('procs_running'),
    processesBlocked: counter('procs_blocked'),
    softInterruptTotal: countFrom(softInterruptTotal),
    softInterrupts:
      countersFromColumns(softInterruptNames, softInterrupts) ?? sumCounters(softInterruptNames, []),
  };
}

function cpuTimesFrom(columns: readonly string[]): CpuTimes {
  const seconds = (index: number) => Number(countFrom(columns[index])) / ticksPerSecond;
  return {
    user: seconds(0),
    nice: seconds(1),
    system: seconds(2),
    idle: seconds(3),
    iowait: seconds(4),
    irq: seconds(5),
    softIrq: seconds(6),
    steal: seconds(7),
    guest: seconds(8),
    guestNice: seconds(9),
  };
}

function countFrom(word: string | undefined): bigint {
  return counterFrom(word) ?? 0n;
}
