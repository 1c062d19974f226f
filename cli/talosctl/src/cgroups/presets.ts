import type { Cgroup } from './cgroup-tree.ts';
import {
  bytesText,
  type CgroupNumber,
  keyedNumber,
  lineCount,
  linesIn,
  microsecondsText,
  nestedKeys,
  numberIn,
  numberText,
  percentText,
} from './cgroup-values.ts';

/** Names that columns need in addition to the group. */
export interface NodeNames {
  /** Commands by process id. */
  readonly processes: ReadonlyMap<string, string>;
  /** Device names by `major:minor`. */
  readonly devices: ReadonlyMap<string, string>;
}

export interface CgroupColumn {
  readonly name: string;
  readonly value: (group: Cgroup, parent: Cgroup | undefined, names: NodeNames) => string;
}

const maxProcessesCharacters = 50;

type ColumnRow = readonly [name: string, value: CgroupColumn['value']];
const columns = (...rows: readonly ColumnRow[]): readonly CgroupColumn[] =>
  rows.map(([name, value]) => ({ name, value }));

const plain = (name: string, file: string): ColumnRow => [name, (group) => numberText(numberIn(group, file))];
const bytes = (name: string, file: string): ColumnRow => [name, (group) => bytesText(numberIn(group, file))];
const text = (name: string, file: string): ColumnRow => [name, (group) => linesIn(group, file).join(' ')];
const cpuTime = (name: string, key: string): ColumnRow => [
  name,
  (group) => microsecondsText(keyedNumber(group, 'cpu.stat', key)),
];
const shareOfParent = (name: string, key: string): ColumnRow => {
  const of = (group: Cgroup): CgroupNumber => keyedNumber(group, 'cpu.stat', key);
  return [name, (group, parent) => (parent === undefined ? '-' : percentText(of(group), of(parent)))];
};
const ratio = (name: string, part: string, whole: string): ColumnRow => [
  name,
  (group) => percentText(numberIn(group, part), numberIn(group, whole)),
];
const pressure = (name: string, file: string, line: 'some' | 'full', key: string): ColumnRow => [
  name,
  (group) => nestedKeys(group, file).get(line)?.get(key) ?? 'unset',
];
const pressureTotal = (name: string, file: string): ColumnRow => [
  name,
  (group) => {
    const total = nestedKeys(group, file).get('some')?.get('total');
    return microsecondsText(/^\d{1,20}$/.test(total ?? '') ? BigInt(total as string) : undefined);
  },
];

/** Amounts read and written per device of the group, such as `vda: 700 MiB/803 MiB`. */
const perDevice = (
  name: string,
  [read, written]: readonly [string, string],
  format: (value: CgroupNumber) => string,
): ColumnRow => [
  name,
  (group, _parent, { devices }) =>
    [...nestedKeys(group, 'io.stat')]
      .flatMap(([device, keys]) => {
        const [from, to] = [read, written].map((key) => keys.get(key));
        if (!/^\d{1,20}$/.test(from ?? '') || !/^\d{1,20}$/.test(to ?? '')) return [];
        const amounts = [from, to].map((amount) => format(BigInt(amount as string)));
        return [`${devices.get(device) ?? device}: ${amounts.join('/')}`];
      })
      .join(' '),
];

function processesIn(group: Cgroup, { processes }: NodeNames): string {
  const names = linesIn(group, 'cgroup.procs').flatMap((pid) => processes.get(pid) ?? []);
  const all = [...new Set(names)].sort().join(' ');
  return all.length > maxProcessesCharacters ? `${all.slice(0, maxProcessesCharacters - 1)}…` : all;
}

/** The columns of each preset. Source: Talos v1.14: cgroup presets. */
export const cgroupPresets = {
  cpu: columns(
    plain('CpuWeight', 'cpu.weight'),
    plain('CpuNice', 'cpu.weight.nice'),
    ['CpuMax', (group) => `[${linesIn(group, 'cpu.max').join(' ')}]`],
    cpuTime('CpuUser', 'user_usec'),
    shareOfParent('User/%', 'user_usec'),
    cpuTime('CpuSystem', 'system_usec'),
    shareOfParent('System/%', 'system_usec'),
    cpuTime('Throttled', 'throttled_usec'),
  ),
  cpuset: columns(
    text('CpuSet', 'cpuset.cpus'),
    text('CpuSet(Eff)', 'cpuset.cpus.effective'),
    text('Mems', 'cpuset.mems'),
    text('Mems(Eff)', 'cpuset.mems.effective'),
  ),
  io: columns(
    perDevice('Bytes Read/Written', ['rbytes', 'wbytes'], bytesText),
    perDevice('ios Read/Write', ['rios', 'wios'], numberText),
    pressure('PressAvg10', 'io.pressure', 'some', 'avg10'),
    pressure('PressAvg60', 'io.pressure', 'some', 'avg60'),
    pressureTotal('PressTotal', 'io.pressure'),
  ),
  memory: columns(
    bytes('MemCurrent', 'memory.current'),
    bytes('MemPeak', 'memory.peak'),
    bytes('MemLow', 'memory.low'),
    ratio('Peak/Low', 'memory.peak', 'memory.low'),
    bytes('MemHigh', 'memory.high'),
    bytes('MemMin', 'memory.min'),
    ratio('Current/Min', 'memory.current', 'memory.min'),
    bytes('MemMax', 'memory.max'),
  ),
  process: columns(
    plain('PidsCurrent', 'pids.current'),
    plain('PidsPeak', 'pids.peak'),
    plain('PidsMax', 'pids.max'),
    ['Procs', (group) => numberText(lineCount(group, 'cgroup.procs'))],
    ['Threads', (group) => numberText(lineCount(group, 'cgroup.threads'))],
    ['Processes', (group, _parent, names) => processesIn(group, names)],
  ),
  psi: columns(
    bytes('MemCurrent', 'memory.current'),
    pressure('MemPsiSome10', 'memory.pressure', 'some', 'avg10'),
    pressure('MemPsi10', 'memory.pressure', 'full', 'avg10'),
    pressure('CpuPsi10', 'cpu.pressure', 'full', 'avg10'),
    pressure('IoPsi10', 'io.pressure', 'full', 'avg10'),
  ),
  swap: columns(
    bytes('SwapCurrent', 'memory.swap.current'),
    bytes('SwapPeak', 'memory.swap.peak'),
    bytes('SwapHigh', 'memory.swap.high'),
    bytes('SwapMax', 'memory.swap.max'),
    bytes('ZswapCurrent', 'memory.zswap.current'),
    bytes('ZswapMax', 'memory.zswap.max'),
    plain('ZswapWriteback', 'memory.zswap.writeback'),
  ),
} as const satisfies Readonly<Record<string, readonly CgroupColumn[]>>;

export type CgroupPreset = keyof typeof cgroupPresets;
