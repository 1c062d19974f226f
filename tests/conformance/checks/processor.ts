import assert from 'node:assert/strict';
import type { CPUStat } from '@nodewright/contract/gen/machine/machine.ts';
import { checksOf, Skip } from '../check.ts';
import type { Subject } from '../subject/subject.ts';
import { machine } from '../wire/methods.ts';
import { only, sum } from './expect.ts';

const statTimes = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softIrq', 'steal'] as const;
const ticksPerSecond = 100;

const secondsOf = (stat: CPUStat | undefined) => sum(statTimes.map((field) => stat?.[field] ?? Number.NaN));

async function statFile(subject: Subject): Promise<string[][]> {
  const text = (await subject.readFile('/proc/stat')).toString();
  return text.split('\n').map((line) => line.trim().split(/\s+/));
}

/** Seconds of all CPUs together, according to the file. */
function fileSeconds(lines: readonly string[][]): number {
  const [, ...ticks] = lines.find(([name]) => name === 'cpu') ?? [];
  return sum(ticks.slice(0, statTimes.length).map(Number)) / ticksPerSecond;
}

async function processorNumbers(subject: Subject): Promise<number[]> {
  const text = (await subject.readFile('/proc/cpuinfo')).toString();
  return [...text.matchAll(/^processor\s*:\s*(\d+)$/gm)].map(([, number]) => Number(number));
}

export const processorChecks = [
  ...checksOf(machine.loadAvg, {
    'load.numbers': [
      'the three averages are numbers of at least 0',
      async ({ admin }) => {
        const { load1, load5, load15 } = only(await admin.unary(machine.loadAvg, {}));
        for (const load of [load1, load5, load15]) assert.ok(Number.isFinite(load) && load >= 0, `${load}`);
      },
    ],
    'load.file': [
      'the three averages equal those in /proc/loadavg',
      async (subject) => {
        const { load1, load5, load15 } = only(await subject.admin.unary(machine.loadAvg, {}));
        const words = (await subject.readFile('/proc/loadavg')).toString().split(' ').slice(0, 3).map(Number);
        for (const [index, load] of [load1, load5, load15].entries()) {
          const difference = Math.abs(load - (words[index] ?? Number.NaN));
          assert.ok(difference <= 0.5 + load / 10, `${load} differs from ${words[index]} in /proc/loadavg`);
        }
      },
    ],
  }),
  ...checksOf(machine.systemStat, {
    'stat.boot-time': [
      'boot_time is in Unix seconds and in the past',
      async (subject) => {
        const { bootTime } = only(await subject.admin.unary(machine.systemStat, {}));
        const now = BigInt(Math.ceil(Date.now() / 1000));
        assert.ok(bootTime > 1_000_000_000n && bootTime <= now + 60n, `${bootTime}`);
      },
    ],
    'stat.seconds': [
      'CPU times are in seconds: their sum is the ticks in /proc/stat divided by 100',
      async (subject) => {
        const before = fileSeconds(await statFile(subject));
        const { cpuTotal } = only(await subject.admin.unary(machine.systemStat, {}));
        const after = fileSeconds(await statFile(subject));
        const seconds = secondsOf(cpuTotal);
        assert.ok(
          seconds >= before - 1 && seconds <= after + 1,
          `${seconds} s is not between ${before} s and ${after} s`,
        );
      },
    ],
    'stat.cpus': [
      'cpu is indexed by CPU number, and the CPUs add up to the total',
      async (subject) => {
        const { cpu, cpuTotal } = only(await subject.admin.unary(machine.systemStat, {}));
        assert.ok(cpu.length > 0, 'no CPU');
        const difference = Math.abs(sum(cpu.map(secondsOf)) - secondsOf(cpuTotal));
        assert.ok(difference <= cpu.length + 1, `the CPUs differ from the total by ${difference} s`);
        const numbers = (await statFile(subject)).flatMap(
          ([name = '']) => /^cpu(\d+)$/.exec(name)?.[1] ?? [],
        );
        assert.equal(cpu.length, Math.max(...numbers.map(Number)) + 1);
      },
    ],
    'stat.interrupts': [
      'irq has one element per numbered counter of /proc/stat, and none is above the total',
      async (subject) => {
        const { irq, irqTotal } = only(await subject.admin.unary(machine.systemStat, {}));
        const line = (await statFile(subject)).find(([name]) => name === 'intr') ?? [];
        assert.equal(irq.length, line.length - 2);
        assert.ok(irq.every((count) => count <= irqTotal));
      },
    ],
    'stat.soft-interrupts': [
      'soft_irq_total is the sum of all kinds of soft interrupts',
      async ({ admin }) => {
        const { softIrq, softIrqTotal } = only(await admin.unary(machine.systemStat, {}));
        const kinds = Object.values(softIrq ?? {}).filter((count) => typeof count === 'bigint');
        const total = kinds.reduce((all, count) => all + count, 0n);
        assert.equal(kinds.length, 10);
        assert.ok(total > 0n && total <= softIrqTotal, `${total} of ${softIrqTotal}`);
      },
    ],
    'stat.counters': [
      'context switches and created processes only grow, and at least one process runs',
      async ({ admin }) => {
        const first = only(await admin.unary(machine.systemStat, {}));
        const second = only(await admin.unary(machine.systemStat, {}));
        assert.ok(first.contextSwitches > 0n && second.contextSwitches > first.contextSwitches);
        assert.ok(first.processCreated > 0n && second.processCreated >= first.processCreated);
        assert.ok(first.processRunning >= 1n, `${first.processRunning} processes run`);
      },
    ],
  }),
  ...checksOf(machine.cPUInfo, {
    'cpu.entries': [
      'the reply has one entry per processor, in the order of /proc/cpuinfo',
      async (subject) => {
        const { cpuInfo } = only(await subject.admin.unary(machine.cPUInfo, {}));
        assert.deepEqual(
          cpuInfo.map(({ processor }) => processor),
          await processorNumbers(subject),
        );
      },
    ],
    'cpu.fields': [
      'flags are split into words, bogo_mips is a number, and cpu_cores is never set',
      async ({ admin }) => {
        const { cpuInfo } = only(await admin.unary(machine.cPUInfo, {}));
        assert.ok(cpuInfo.length > 0, 'no CPU');
        for (const { flags, bogoMips, cpuCores } of cpuInfo) {
          assert.ok(flags.length > 1 && flags.every((flag) => /^\S+$/.test(flag)), 'a flag contains blanks');
          assert.ok(Number.isFinite(bogoMips) && bogoMips >= 0, `bogo_mips is ${bogoMips}`);
          assert.equal(cpuCores, 0);
        }
      },
    ],
    'cpu.text': [
      'text fields equal those in /proc/cpuinfo',
      async (subject) => {
        const text = (await subject.readFile('/proc/cpuinfo')).toString();
        const { cpuInfo } = only(await subject.admin.unary(machine.cPUInfo, {}));
        const line = (name: string) => new RegExp(`^${name}\\s*:[ \\t]*(.*)$`, 'm').exec(text)?.[1]?.trim();
        const [first] = cpuInfo;
        if (line('vendor_id') === undefined) throw new Skip('this kind of CPU has no such lines');
        assert.deepEqual(
          [first?.vendorId, first?.modelName, first?.cacheSize, first?.addressSizes, first?.siblings],
          [
            line('vendor_id'),
            line('model name'),
            line('cache size'),
            line('address sizes'),
            Number(line('siblings')),
          ],
        );
      },
    ],
  }),
  ...checksOf(machine.cPUFreqStats, {
    'frequency.entries': [
      'the reply has at most one entry per CPU; entries that are not empty are in kHz and name a governor',
      async ({ admin }) => {
        const { cpuFreqStats } = only(await admin.unary(machine.cPUFreqStats, {}));
        const { cpuInfo } = only(await admin.unary(machine.cPUInfo, {}));
        assert.ok(cpuFreqStats.length <= cpuInfo.length, `${cpuFreqStats.length} entries`);
        for (const { currentFrequency, minimumFrequency, maximumFrequency, governor } of cpuFreqStats) {
          const isEmpty = governor === '' && currentFrequency + minimumFrequency + maximumFrequency === 0n;
          if (isEmpty) continue;
          assert.notEqual(governor, '');
          assert.ok(minimumFrequency <= maximumFrequency);
          assert.ok(
            maximumFrequency > 50_000n && maximumFrequency < 20_000_000n,
            `${maximumFrequency} is not kHz`,
          );
        }
      },
    ],
  }),
];
